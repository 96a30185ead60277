import { readFileSync, rmSync } from 'node:fs';
import { join } from 'node:path';
import { describe, expect, it } from 'vitest';
import type { RunSpecInput } from '../../engine/schema/run-spec.ts';
import { RunSpec } from '../../engine/schema/run-spec.ts';
import type { OpenServices } from '../../main/headless/open.ts';
import { freezeInputs } from '../../main/services/resources.ts';
import { SplitSpec } from '../../preload/contract/splits.ts';
import { rejected } from '../support/errors.ts';
import { datasetForTest, servicesForTest, smallSpec } from '../support/workspace.ts';

const by = { author: 'me', query: null };

const specOn = (datasetId: string, task: object = {}, own: Partial<RunSpecInput> = {}): RunSpec =>
  RunSpec.parse(smallSpec({ task: { kind: 'dataset', datasetId, ...task } as RunSpecInput['task'], ...own }));

/** The lines that a run of this specification would train on. */
async function linesOf({ services }: OpenServices, spec: RunSpec): Promise<Record<string, unknown>[]> {
  const [{ artifact }] = await freezeInputs(services, spec);
  return readFileSync(join(services.folder, artifact ?? ''), 'utf8')
    .trimEnd()
    .split('\n')
    .map((line) => JSON.parse(line) as Record<string, unknown>);
}

/** Right answers corrected by hand, and the rows of the first prompt excluded. */
async function curate({ services: { store } }: OpenServices, id: string): Promise<void> {
  const event = await store.curation.begin(id, { event: 'edit', field: 'answer', value: 'edited' }, by);
  await store.curation.editRows(id, event, [3], { column: 'answer', value: 'edited' });
  await store.curation.finish(event);
  await store.curation.mark(id, { event: 'exclude', value: null }, [0, 1, 2], by);
}

describe('the data of a run', () => {
  it('is the curated rows: excluded ones are left out, edited ones are as edited', async () => {
    const bench = await servicesForTest();
    const id = await datasetForTest(bench.services.store);
    await curate(bench, id);
    const rows = await linesOf(bench, specOn(id));
    expect(rows.map(({ answer }) => answer)).toEqual([
      'edited',
      ...[4, 5, 6, 7, 8, 9, 10, 11].map((n) => `answer ${n}`),
    ]);
    const pairs = await linesOf(bench, specOn(id, {}, { method: { id: 'dpo' } }));
    expect(pairs.map(({ promptId }) => promptId)).toEqual(['prompt-1', 'prompt-2', 'prompt-3']);
    expect([pairs[0].a, pairs[0].b].sort()).toEqual(['answer 4', 'edited']);
  });

  it('is recorded at its launch: step, hash, and the version with the same rows', async () => {
    const bench = await servicesForTest();
    const { store } = bench.services;
    const id = await datasetForTest(store);
    const launched = async (task: object = {}) => {
      const { runId } = await bench.api.runs.launch({ spec: specOn(id, task) });
      return (await bench.api.runs.get({ id: runId })).data;
    };
    expect(await launched()).toMatchObject({
      datasetId: id,
      name: 'answers',
      sequence: 0,
      version: null,
      rows: 12,
    });
    const saved = await bench.api.versions.save({ id, name: 'imported', author: '' });
    expect(await launched()).toMatchObject({ sequence: 0, version: 'imported', hash: saved.hash });
    await curate(bench, id);
    expect(await launched()).toMatchObject({ sequence: 2, version: null, rows: 9 });
    expect(await launched({ version: 'imported' })).toMatchObject({
      sequence: 0,
      version: 'imported',
      rows: 12,
    });
    const runs = await store.runs.list(false);
    // the first one was launched before its rows were saved as a version
    expect(runs.map(({ data }) => data?.version)).toEqual(['imported', null, 'imported', 'imported']);
    const { differences } = await bench.api.compare.overview({
      runIds: runs.slice(0, 2).map((run) => run.id),
    });
    const values = differences.find(({ path }) => path === 'task.rows')?.values;
    expect(values).toEqual([
      expect.stringContaining('version imported, 12 rows'),
      expect.stringContaining('unsaved changes at step 2, 9 rows'),
    ]);
    expect((await store.lineage.of('run', runs[1].id)).from).toMatchObject([
      { kind: 'dataset', id, note: 'unsaved changes at step 2' },
    ]);
  });

  it('of an older version is copied once for all checks of a form, and again after a change', async () => {
    const { services } = await servicesForTest();
    const id = await datasetForTest(services.store);
    const { store } = services;
    await store.versions.save(id, 'imported', await store.versions.content(id, null), 'me');
    await store.curation.mark(id, { event: 'exclude', value: null }, [0], by);
    let copies = 0;
    const deriving = new Proxy(store.deriving, {
      get: (queries, name: 'stage') => {
        if (name === 'stage') copies += 1;
        return queries[name];
      },
    });
    const counted = {
      ...services,
      folder: services.folder,
      store: new Proxy(store, {
        get: (modules, name: 'deriving') => (name === 'deriving' ? deriving : modules[name]),
      }),
    };
    const spec = specOn(id, { version: 'imported' });
    const [first] = await freezeInputs(counted, spec);
    expect(await freezeInputs(counted, spec)).toEqual([first]);
    expect(copies).toBe(1);
    await freezeInputs(counted, specOn(id, { version: 'imported' }, { method: { id: 'dpo' } }));
    expect(copies).toBe(2);
    rmSync(join(services.folder, first.artifact ?? ''));
    expect(await freezeInputs(counted, spec)).toEqual([first]);
    expect(copies).toBe(3);
    await store.curation.mark(id, { event: 'exclude', value: null }, [1], by);
    await freezeInputs(counted, spec);
    expect(copies).toBe(4);
  });

  it('of a version is that of its rows, not of the present ones', async () => {
    const bench = await servicesForTest();
    const id = await datasetForTest(bench.services.store);
    await bench.api.versions.save({ id, name: 'imported', author: '' });
    await curate(bench, id);
    const rows = await linesOf(bench, specOn(id, { version: 'imported' }));
    expect(rows.map(({ answer }) => answer)).toEqual(
      Array.from({ length: 12 }, (_none, row) => `answer ${row}`),
    );
    const pairs = await linesOf(bench, specOn(id, { version: 'imported' }, { method: { id: 'dpo' } }));
    expect(pairs).toHaveLength(4);
    expect(await bench.services.store.datasets.list()).toHaveLength(1);
    expect(await rejected(freezeInputs(bench.services, specOn(id, { version: 'none' })))).toMatchObject({
      kind: 'not-found',
      where: 'task.version',
    });
  });

  it('by parts of a split has the rows of each part on its side, and no others', async () => {
    const bench = await servicesForTest();
    const { store } = bench.services;
    const id = await datasetForTest(store, 40);
    const split = SplitSpec.parse({
      parts: [
        { name: 'train', weight: 2 },
        { name: 'test', weight: 1 },
        { name: 'rest', weight: 1 },
      ],
    });
    await bench.api.splits.make({ id, split, author: '' });
    const counts = (await store.splits.list(id))[0].parts.map(({ rows }) => rows);
    const both = await linesOf(bench, specOn(id, { trainPart: 'train', heldoutPart: 'test' }));
    expect(both.filter((row) => row.split === 'train')).toHaveLength(counts[0]);
    expect(both.filter((row) => row.split === 'heldout')).toHaveLength(counts[1]);
    expect(both).toHaveLength(counts[0] + counts[1]);
    const others = await linesOf(bench, specOn(id, { heldoutPart: 'test' }));
    expect(others).toHaveLength(120);
    const trained = await linesOf(bench, specOn(id, { trainPart: 'train' }));
    expect(trained.map((row) => row.split)).toEqual(Array.from({ length: counts[0] }, () => undefined));
    const pairs = await linesOf(
      bench,
      specOn(id, { trainPart: 'train', heldoutPart: 'test' }, { method: { id: 'dpo' } }),
    );
    expect(pairs.filter((pair) => pair.split === 'heldout')).toHaveLength(counts[1] / 3);
    expect(await rejected(freezeInputs(bench.services, specOn(id, { trainPart: 'tset' })))).toMatchObject({
      kind: 'invalid-input',
      where: 'task.trainPart',
    });
  });
});
