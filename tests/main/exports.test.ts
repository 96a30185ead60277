import { existsSync, readdirSync, readFileSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { describe, expect, it } from 'vitest';
import type { Dataset, ImportProgress } from '../../preload/contract/datasets.ts';
import type { ExportSource, FileProgress } from '../../preload/contract/exports.ts';
import type { OpenServices } from '../../main/headless/open.ts';
import { cli } from '../support/cli.ts';
import { by } from '../support/curated.ts';
import { rejected } from '../support/errors.ts';
import { temporaryFolder } from '../support/folder.ts';
import { readAll } from '../support/read-dataset.ts';
import { datasetForTest, servicesForTest } from '../support/workspace.ts';

const { signal } = new AbortController();

async function written(bench: OpenServices, from: ExportSource, format: string, path: string) {
  const seen: FileProgress[] = [];
  for await (const progress of bench.api.exports.write({ from, format, path }, signal)) seen.push(progress);
  const last = seen.at(-1);
  if (last?.state !== 'done') throw new Error('the export did not end');
  return last.result;
}

async function imported(bench: OpenServices, path: string): Promise<Dataset> {
  let last: ImportProgress | null = null;
  const input = { path, name: '', keepGoodLines: false };
  for await (const progress of bench.api.datasets.import(input, signal)) last = progress;
  if (last?.state !== 'done') throw new Error('the import did not end');
  return last.dataset;
}

async function labeledSet(bench: OpenServices, datasetId: string) {
  const set = await bench.api.labels.createSet({
    name: '',
    from: { kind: 'dataset', datasetId },
    pairsPerPrompt: 4,
    onlyDiffering: true,
    seed: 0,
  });
  const { pairs } = await bench.api.labels.pairs({ setId: set.id, offset: 0, limit: 100 });
  const verdicts = ['a', 'b', 'tie', 'skip'] as const;
  await bench.api.labels.decideMany({
    labeler: 'tester',
    decisions: pairs.map(({ pairId }, i) => ({ pairId, verdict: verdicts[i % 4] })),
  });
  return { set, pairs };
}

describe('exports of datasets and label sets', () => {
  it('leave out excluded rows, also from the pairs of a prompt', async () => {
    const bench = await servicesForTest();
    const { store } = bench.services;
    const id = await datasetForTest(store);
    const path = join(temporaryFolder(), 'rows.jsonl');
    const from = { kind: 'dataset', id } as const;
    const all = (await written(bench, from, 'jsonl', path)).records;
    const pairs = (await written(bench, from, 'trl-preference', path)).records;
    const wrong = await store.rows.page({ id, query: 'wrong', sort: null, offset: 0, limit: 500 });
    const rows = wrong.rows.map(({ row }) => row);
    await store.curation.mark(id, { event: 'exclude', value: null }, rows, by);
    expect((await written(bench, from, 'jsonl', path)).records).toBe(all - rows.length);
    expect(readFileSync(path, 'utf8').trimEnd().split('\n')).toHaveLength(all - rows.length);
    expect(pairs).toBeGreaterThan(0);
    expect((await rejected(written(bench, from, 'trl-preference', path))).kind).toBe('invalid-input');
  });

  it('every format of a dataset is written, and reads back as rows', async () => {
    const bench = await servicesForTest();
    const folder = temporaryFolder();
    const id = await datasetForTest(bench.services.store);
    for (const { id: format, from, extension } of await bench.api.exports.formats({})) {
      if (from.length === 0 || format === 'trl-stepwise' || format === 'process-bench') continue; // no spans, no steps here
      const result = await written(
        bench,
        { kind: 'dataset', id },
        format,
        join(folder, `${format}${extension}`),
      );
      const { rows } = await readAll(result.path);
      const isAll = from.includes('rows') && format !== 'trl-unpaired';
      expect([format, rows.length]).toEqual([format, isAll ? 12 : 8]);
      const right = rows.filter(({ correct }) => correct === true).map(({ answer }) => answer.trim());
      expect(right).toEqual(['answer 0', 'answer 3', 'answer 6', 'answer 9']);
      const unmarked = [{ what: 'answers that are not marked', count: 4 }];
      expect(result.leftOut).toEqual(format === 'trl-unpaired' ? unmarked : []);
    }
  });

  it('labels keep their labeler; ties and skipped pairs are counted as left out', async () => {
    const bench = await servicesForTest();
    const { set, pairs } = await labeledSet(bench, await datasetForTest(bench.services.store));
    const path = join(temporaryFolder(), 'labels.jsonl');
    const from = { kind: 'label-set' as const, id: set.id };
    expect(await written(bench, from, 'trl-preference', path)).toMatchObject({
      path,
      records: 2,
      leftOut: [
        { what: 'ties', count: 1 },
        { what: 'skipped pairs', count: 1 },
      ],
    });
    const [first] = readFileSync(path, 'utf8').trim().split('\n');
    expect(JSON.parse(first)).toMatchObject({
      prompt: pairs[0].prompt,
      chosen: pairs[0].a,
      rejected: pairs[0].b,
      labeler: 'tester',
    });
    expect((await written(bench, from, 'jsonl', path)).records).toBe(4);
  });

  it('a preference pair of a file stays a pair, though its prompt comes twice', async () => {
    const bench = await servicesForTest();
    const folder = temporaryFolder();
    const path = join(folder, 'pairs.jsonl');
    const pairs = ['x', 'y'].map((each) => ({
      prompt: 'p',
      chosen: `good ${each}`,
      rejected: `bad ${each}`,
    }));
    writeFileSync(path, pairs.map((pair) => JSON.stringify(pair)).join('\n'));
    const { id } = await imported(bench, path);
    const out = join(folder, 'out.jsonl');
    await written(bench, { kind: 'dataset', id }, 'trl-preference', out);
    expect(
      readFileSync(out, 'utf8')
        .trim()
        .split('\n')
        .map((line) => JSON.parse(line) as unknown),
    ).toEqual(pairs);
  });

  it('pair the answers of a prompt with many right ones before its wrong ones', async () => {
    const bench = await servicesForTest();
    const folder = temporaryFolder();
    const path = join(folder, 'answers.jsonl');
    const lines = Array.from({ length: 1300 }, (_none, at) =>
      JSON.stringify({ prompt: 'p', completion: `answer ${at}`, label: at < 1100 }),
    );
    writeFileSync(path, lines.join('\n'));
    const { id } = await imported(bench, path);
    const out = join(folder, 'out.jsonl');
    expect((await written(bench, { kind: 'dataset', id }, 'trl-preference', out)).records).toBe(1000);
    const firsts = Array.from({ length: 1099 }, (_none, row) => row);
    await bench.services.store.curation.mark(id, { event: 'exclude', value: null }, firsts, by);
    await written(bench, { kind: 'dataset', id }, 'trl-preference', out);
    const pairs = readFileSync(out, 'utf8').trim().split('\n');
    expect(pairs).toHaveLength(200);
    for (const pair of pairs) expect(JSON.parse(pair)).toMatchObject({ chosen: 'answer 1099' });
  });

  it('a cancelled or refused export leaves the file that was there, and nothing else', async () => {
    const bench = await servicesForTest();
    const folder = temporaryFolder();
    const path = join(folder, 'out.jsonl');
    writeFileSync(path, 'before');
    const id = await datasetForTest(bench.services.store, 2000);
    const stop = new AbortController();
    const feed = bench.api.exports.write(
      { from: { kind: 'dataset', id }, format: 'jsonl', path },
      stop.signal,
    );
    for await (const { state } of feed) if (state === 'writing') stop.abort();
    const stepwise = await rejected(written(bench, { kind: 'dataset', id }, 'trl-stepwise', path));
    expect(stepwise.message).toContain('can hold none of this: left out were 6000 rows without marked steps');
    const unknown = await rejected(written(bench, { kind: 'dataset', id }, 'word', path));
    expect(unknown.facts).toMatchObject({
      kind: 'invalid-input',
      hint: expect.stringContaining('trl-preference'),
    });
    await expect.poll(() => readdirSync(folder)).toEqual(['out.jsonl']);
    expect(readFileSync(path, 'utf8')).toBe('before');
  });

  it('on the command line: a dataset and a label set, with what was left out', async () => {
    const at = temporaryFolder();
    const workspace = ['--workspace', join(at, 'w')];
    writeFileSync(join(at, 'rows.csv'), 'q,good,bad\np,x,y\np2,x,y\n');
    const map = ['--map', 'prompt=q', '--map', 'chosen=good', '--map', 'rejected=bad'];
    const { value } = await cli('import', join(at, 'rows.csv'), ...map, ...workspace, '--json');
    const { id } = value as Dataset;
    const target = join(at, 'out.parquet');
    const done = await cli(
      'dataset-export',
      target,
      '--dataset',
      id,
      '--format',
      'parquet',
      ...workspace,
      '--json',
    );
    expect(done.value).toMatchObject({ path: target, records: 4, leftOut: [] });
    expect((await readAll(target)).rows).toHaveLength(4);
    const wrong = await cli('import', join(at, 'rows.csv'), '--map', 'nothing=q', ...workspace, '--json');
    expect(wrong.value).toMatchObject({ error: { kind: 'invalid-input', where: '--map' } });
    const none = await cli('dataset-export', join(at, 'x'), '--dataset', 'nobody', ...workspace, '--json');
    expect(none.value).toMatchObject({ error: { kind: 'not-found' } });
    expect(existsSync(join(at, 'x'))).toBe(false);
  });
});
