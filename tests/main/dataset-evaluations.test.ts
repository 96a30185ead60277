import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { describe, expect, it, vi } from 'vitest';
import { checkSpec } from '../../engine/index.ts';
import type { RunSpecInput } from '../../engine/schema/run-spec.ts';
import type { OpenServices } from '../../main/headless/open.ts';
import { plansOf } from '../../main/plans/index.ts';
import { freezeInputs } from '../../main/services/resources.ts';
import { SplitSpec } from '../../preload/contract/splits.ts';
import { rejected } from '../support/errors.ts';
import { datasetForTest, servicesForTest, smallSpec } from '../support/workspace.ts';

type Evaluations = RunSpecInput['evaluations'];
const specOf = (evaluations: Evaluations, own: Partial<RunSpecInput> = {}): RunSpecInput =>
  smallSpec({ evaluations, budget: { steps: 2, batch: 2 }, ...own });
const on = (datasetId: string, own: Partial<RunSpecInput> = {}): Partial<RunSpecInput> => ({
  task: { kind: 'dataset', datasetId, heldout: 0.5 },
  ...own,
});
const nll = (datasetId: string, more: object = {}) => ({
  name: 'nll',
  datasetId,
  measure: 'likelihood' as const,
  ...more,
});

const ended = (bench: OpenServices, id: string) =>
  vi.waitUntil(
    async () => {
      const run = await bench.api.runs.get({ id });
      return ['done', 'failed'].includes(run.state) && run;
    },
    { timeout: 60_000, interval: 20 },
  );

describe('a dataset as an evaluation', () => {
  it('is measured in addition to the run’s own: launched, kept with the run, and not removable', async () => {
    const bench = await servicesForTest({ engine: null });
    const { store } = bench.services;
    const [mine, other] = [await datasetForTest(store, 12), await datasetForTest(store, 5)];
    const evaluations: Evaluations = [
      nll(other),
      { name: 'own', datasetId: mine, measure: 'likelihood' },
      { name: 'ranks', datasetId: other, measure: 'pairs' },
    ];
    const { runId } = await bench.api.runs.launch({ spec: specOf(evaluations, on(mine)) });
    const run = await ended(bench, runId);
    expect(run.error).toBeNull();
    expect(new Set(run.lineage.datasets)).toEqual(new Set([mine, other]));
    expect(run.lineage.datasets).toHaveLength(2);
    expect(run.data?.datasetId).toBe(mine);
    const measured = ['loss', 'own/loss', 'nll/loss', 'nll/trained_on', 'ranks/likelihood_accuracy'];
    const series = await bench.api.runs.metrics({
      runIds: [runId],
      names: measured.map((name) => `eval/${name}`),
      from: 0,
      to: null,
      points: 100,
    });
    const value = (name: string) => series.find((each) => each.name === name)?.values.at(-1);
    expect(value('eval/own/loss')).toBeCloseTo(value('eval/loss') ?? NaN, 5);
    // both have the prompts 0 to 4, some of which are trained on
    expect(value('eval/nll/trained_on')).toBeGreaterThan(0);
    expect(value('eval/ranks/likelihood_accuracy')).toBeGreaterThanOrEqual(0);
    expect(await rejected(Promise.resolve(bench.api.datasets.remove({ id: other })))).toMatchObject({
      kind: 'conflict',
    });
    expect((await store.lineage.of('dataset', other)).usedBy).toMatchObject([{ kind: 'run', id: runId }]);
    expect((await store.lineage.of('run', runId)).from.map(({ id }) => id).sort()).toEqual(
      [mine, other].sort(),
    );
  }, 90_000);

  it('is written as its measure, version and part say; of the own dataset with its sides', async () => {
    const bench = await servicesForTest();
    const { store } = bench.services;
    const id = await datasetForTest(store, 40);
    await bench.api.versions.save({ id, name: 'imported', author: '' });
    const split = SplitSpec.parse({ parts: ['train', 'test'].map((name) => ({ name, weight: 1 })) });
    await bench.api.splits.make({ id, split, author: '' });
    const linesOf = async (evaluation: object, own: Partial<RunSpecInput> = {}) => {
      const inputs = await freezeInputs(bench.services, checkSpec(specOf([evaluation as never], own)));
      const { artifact } = inputs.find((each) => each.evaluation === 'nll') ?? {};
      return readFileSync(join(bench.services.folder, artifact ?? ''), 'utf8')
        .trimEnd()
        .split('\n')
        .map((line) => JSON.parse(line) as Record<string, unknown>);
    };
    expect(await linesOf(nll(id))).toHaveLength(120);
    expect(await linesOf(nll(id, { version: 'imported' }))).toHaveLength(120);
    const part = await linesOf(nll(id, { part: 'test' }));
    expect(part.length).toBeGreaterThan(0);
    expect(part.length).toBeLessThan(120);
    const pairs = await linesOf(nll(id, { measure: 'pairs' }));
    expect(pairs[0]).toMatchObject({ verdict: expect.stringMatching(/^[ab]$/) });
    const byParts = {
      task: { kind: 'dataset' as const, datasetId: id, trainPart: 'train', heldoutPart: 'test' },
    };
    const sides = await linesOf(nll(id), byParts);
    expect(new Set(sides.map(({ split }) => split))).toEqual(new Set(['train', 'heldout']));
  });

  it('that is not there, or has no such version, part or rows, is refused with the field', async () => {
    const bench = await servicesForTest();
    const { store } = bench.services;
    const id = await datasetForTest(store);
    const refusal = (more: object) =>
      rejected(Promise.resolve(bench.api.runs.launch({ spec: specOf([{ ...nll(id), ...more }]) })));
    expect(await refusal({ datasetId: 'unknown' })).toMatchObject({
      kind: 'not-found',
      where: 'evaluations.0.datasetId',
    });
    expect(await refusal({ version: 'none' })).toMatchObject({
      kind: 'not-found',
      where: 'evaluations.0.version',
    });
    expect(await refusal({ part: 'none' })).toMatchObject({
      kind: 'invalid-input',
      where: 'evaluations.0.part',
    });
    const by = { author: '', query: null };
    await store.curation.mark(id, { event: 'exclude', value: null }, [0, 3, 6, 9], by);
    expect(await refusal({ measure: 'pairs' })).toMatchObject({
      kind: 'invalid-input',
      where: 'evaluations.0.datasetId',
    });
  });

  it('may be what an earlier node of a plan makes', async () => {
    const bench = await servicesForTest();
    const small = smallSpec({ budget: { steps: 4, batch: 4 } });
    const measured = { ...small, evaluations: [nll('x', { datasetId: { node: 'kept' } })] };
    const plan = {
      nodes: [
        { id: 'a', spec: small },
        { id: 'kept', answers: 'a', operators: [{ id: 'first', params: { count: 2 } }] },
        { id: 'b', spec: measured },
      ],
    };
    const { id } = await bench.api.plans.launch({ plan });
    const found = await vi.waitUntil(
      async () => {
        await plansOf(bench.services).settled();
        const now = await bench.api.plans.get({ id });
        return ['done', 'failed'].includes(now.state) && now;
      },
      { timeout: 60_000, interval: 10 },
    );
    expect(found.state).toBe('done');
    const [, data, b] = found.nodes;
    const run = await bench.api.runs.get({ id: b.runId ?? '' });
    expect(run.lineage.datasets).toEqual([data.datasetId]);
    const unknown = { nodes: [{ id: 'b', spec: measured }] };
    expect(await rejected(Promise.resolve(bench.api.plans.launch({ plan: unknown })))).toMatchObject({
      kind: 'invalid-input',
      where: 'nodes.0.spec.evaluations.0.datasetId',
    });
  });
});
