import { join } from 'node:path';
import { describe, expect, it, vi } from 'vitest';
import type { ExperimentSpecInput } from '../../engine/schema/experiment.ts';
import type { OpenServices } from '../../main/headless/open.ts';
import { openFolder } from '../../main/store/folder.ts';
import type { Experiment } from '../../preload/contract/experiments.ts';
import { rejected } from '../support/errors.ts';
import { temporaryFolder } from '../support/folder.ts';
import { servicesForTest, servicesIn, smallSpec } from '../support/workspace.ts';

/** The stand-in reports the learning rate as a metric. */
const objective = { metric: 'learning_rate', direction: 'maximize' } as const;
const rates = (...values: number[]) => [{ path: 'optimizer.learningRate', values }];
const base = smallSpec({ budget: { steps: 8, batch: 8 } });
const halving: ExperimentSpecInput = {
  name: 'halving',
  base,
  axes: rates(0.1, 0.4, 0.2, 0.3),
  strategy: { kind: 'successive-halving', trials: 4, eta: 2, leastSteps: 2 },
  objective,
};

const launch = async ({ api }: OpenServices, spec: ExperimentSpecInput): Promise<string> =>
  (await api.experiments.launch({ spec })).id;
/** Resolves with the experiment once it is in one of these states. */
const reached = (bench: OpenServices, id: string, ...states: Experiment['state'][]): Promise<Experiment> =>
  vi.waitUntil(
    async () => {
      await bench.services.experiments.settled();
      const found = await bench.services.experiments.get(id);
      return states.includes(found.state) && found;
    },
    { timeout: 60_000, interval: 10 },
  );
const valuesOf = ({ rows }: Experiment, configurations: readonly number[]) =>
  configurations.map((at) => rows[at].values[0]);

describe('an experiment', () => {
  it('is planned without starting anything, and names a setting that it cannot vary', async () => {
    const bench = await servicesForTest();
    expect(
      await bench.api.experiments.plan({ spec: { base, axes: rates(0.1, 0.2), seeds: 2 } }),
    ).toMatchObject({
      paths: ['optimizer.learningRate'],
      configurations: [[0.1], [0.2]],
      seeds: [0, 1],
      runs: 4,
      steps: 32,
      objective: { metric: 'eval/pass_at_1', direction: 'maximize' },
      seconds: null,
    });
    expect(await bench.api.runs.list({ archived: false })).toEqual([]);
    for (const [spec, where] of [
      [{ base, axes: [{ path: 'optimizer.rate', values: [1] }] }, 'optimizer.rate'],
      [{ base, axes: rates(-1) }, 'optimizer.learningRate'],
      [{ base, axes: [{ path: 'budget.batch', values: [] }] }, 'axes.0'],
      [{ base, strategy: { kind: 'annealing' } }, 'strategy.kind'],
      [{ axes: [] }, 'base'],
    ] as const)
      expect(await rejected(Promise.resolve(bench.api.experiments.plan({ spec })))).toMatchObject({
        kind: 'invalid-input',
        where: expect.stringMatching(new RegExp(`^${where}`)) as string,
      });
  });

  it('runs a grid with seeds, folds the seeds and marks the best configuration', async () => {
    const bench = await servicesForTest();
    const spec = { base, axes: rates(0.1, 0.3, 0.2), seeds: 2, objective };
    const { rows, of, ended, runIds } = await reached(bench, await launch(bench, spec), 'done');
    expect([of, ended, runIds.length]).toEqual([6, 6, 6]);
    expect(rows.map(({ n, mean, isBest }) => [n, mean, isBest])).toEqual([
      [2, 0.1, false],
      [2, 0.3, true],
      [2, 0.2, false],
    ]);
    expect(rows[0].interval).toEqual([0.1, 0.1]);
    expect(rows[0].runs.map(({ seed }) => seed)).toEqual([0, 1]);
    const plan = await bench.api.experiments.plan({ spec });
    expect(plan.seconds).toBeGreaterThan(0);
  });

  it('halves: the best continue their checkpoints with more steps', async () => {
    const bench = await servicesForTest();
    const found = await reached(bench, await launch(bench, halving), 'done');
    expect(found.rungs).toEqual([
      { steps: 2, configurations: 4 },
      { steps: 4, configurations: 2 },
      { steps: 8, configurations: 1 },
    ]);
    const [first, second] = found.decisions;
    expect(valuesOf(found, first.kept)).toEqual([0.4, 0.3]);
    expect(valuesOf(found, second.kept)).toEqual([0.4]);
    expect(first.ranking.map(({ score }) => score)).toEqual([0.4, 0.3, 0.2, 0.1]);
    const cutAt = new Map(found.rows.map((row) => [row.values[0], row.cutAt]));
    expect([0.1, 0.2, 0.3, 0.4].map((rate) => cutAt.get(rate))).toEqual([0, 0, 1, null]);
    expect(found).toMatchObject({ of: 7, ended: 7 });

    const best = found.rows.find(({ isBest }) => isBest);
    expect(best).toMatchObject({ values: [0.4], rung: 2, steps: 8 });
    const last = await bench.api.runs.get({ id: best?.runs[0].runId ?? '' });
    expect(last).toMatchObject({ step: 8, fork: { step: 4, carries: 'state' } });
    const [series] = await bench.api.runs.metrics({
      runIds: [last.id],
      names: ['loss'],
      from: 0,
      to: null,
      points: 100,
    });
    expect([...series.steps]).toEqual([5, 6, 7, 8]);
  });

  it('counts failed runs as the worst, and ends if none is left', async () => {
    const bench = await servicesForTest({ engine: ['picky'] });
    const some = await reached(bench, await launch(bench, { ...halving, axes: rates(5, 0.1, 6, 7) }), 'done');
    expect(valuesOf(some, some.decisions[0].kept)).toEqual([0.1]);
    expect(some.decisions[0].ranking.map(({ score }) => score)).toEqual([0.1, null, null, null]);
    const none = await reached(bench, await launch(bench, { ...halving, axes: rates(5, 6, 7, 8) }), 'failed');
    expect(none.decisions).toMatchObject([{ kept: [] }]);
    expect(none.rows.some(({ isBest }) => isBest)).toBe(false);
  });

  it('that was half done when the app was killed goes on where it was', async () => {
    const home = temporaryFolder();
    const first = await servicesIn(home, { engine: ['slow'] });
    const id = await launch(first, halving);
    await vi.waitUntil(async () => (await first.api.experiments.get({ id })).decisions.length > 0, {
      timeout: 60_000,
      interval: 5,
    });
    await first.close();
    const second = await servicesForTest({ path: join(home, 'workspace') });
    const before = await second.api.experiments.get({ id });
    expect(before.decisions).toHaveLength(1);
    await second.api.queue.goOn({});
    await second.api.experiments.goOn({ id });
    const found = await reached(second, id, 'done');
    expect(found.decisions[0]).toEqual(before.decisions[0]);
    expect(valuesOf(found, found.decisions[1].kept)).toEqual([0.4]);
    expect(found.of).toBe(found.ended);
  });

  it('whose rung had ended undecided is decided when the workspace is opened', async () => {
    const home = temporaryFolder();
    const first = await servicesIn(home);
    const id = await launch(first, halving);
    // as if the app had ended between the end of the last run and the decision
    await first.services.store.experiments.setStopped(id, true);
    await reached(first, id, 'stopped');
    await first.close();
    const folder = await openFolder(join(home, 'workspace'));
    await folder.store.experiments.setStopped(id, false);
    await folder.close();
    const second = await servicesForTest({ path: join(home, 'workspace') });
    expect((await reached(second, id, 'done')).decisions).toHaveLength(2);
  });

  it('stops, goes on, and is removed with its runs', async () => {
    const bench = await servicesForTest({ engine: ['slow'] });
    const id = await launch(bench, { ...halving, base: smallSpec({ budget: { steps: 80, batch: 8 } }) });
    expect(await rejected(Promise.resolve(bench.api.experiments.remove({ id, runs: true })))).toMatchObject({
      kind: 'conflict',
    });
    await bench.api.experiments.stop({ id });
    const stopped = await reached(bench, id, 'stopped');
    expect(stopped.decisions).toEqual([]);
    await bench.api.experiments.goOn({ id });
    const found = await reached(bench, id, 'done');
    expect(await bench.api.experiments.ofRun({ runId: found.runIds[0] })).toEqual({ id, name: 'halving' });
    await bench.api.experiments.remove({ id, runs: true });
    expect(await bench.api.experiments.list({})).toEqual([]);
    expect(await bench.api.runs.list({ archived: false })).toEqual([]);
  });
});
