/**
 * Charts in runs of a control world: pay beside the world's, measures of evaluations, and resuming within
 * episodes.
 */
import { mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterAll, beforeAll, expect, test } from 'vitest';
import { checkSpec } from '../../../engine/index.ts';
import { replay } from '../../../engine/control/charts/monitor.ts';
import { laneBehaviours } from '../../../engine/control/charts/lane-behaviours.ts';
import { compileWatched, controlWorldById } from '../../../engine/control/index.ts';
import { readCheckpoint } from '../../../engine/models/checkpoint.ts';
import { openDevice, type Device } from '../../../engine/runtime/index.ts';
import { WatchedChart } from '../../../engine/schema/chart.ts';
import type { RunSpec } from '../../../engine/schema/run-spec.ts';
import { metricName } from '../../../preload/wire/metric-names.ts';
import { caught } from '../../support/errors.ts';
import { lastCheckpoint, runInto, type Seen } from '../../support/toy-run.ts';

let device: Device;
let folder: string;
beforeAll(async () => {
  device = await openDevice({ id: 'cpu', threads: 1 });
  folder = await mkdtemp(join(tmpdir(), 'whetstone-charts-'));
});
afterAll(() => rm(folder, { recursive: true, force: true }));

const charts = laneBehaviours.slice(0, 2).map((chart) => ({ chart, weight: 2 }));
const small = (more: object = {}): RunSpec =>
  checkSpec({
    method: { id: 'control-ppo', params: { copies: 4, epochs: 1, minibatches: 2 } },
    models: { policy: { kind: 'network', hidden: [8] } },
    task: { kind: 'control', id: 'control/lane-grid', charts },
    budget: { steps: 12, batch: 64 },
    evaluation: { problems: 20 },
    checkpoints: { every: 4 },
    seed: 4,
    ...more,
  });
const played = (seen: readonly Seen[]) => {
  const found = seen.findLast((event) => event.type === 'result');
  if (found?.type !== 'result' || found.kind !== 'episodes') throw new Error('no episodes were stored');
  return found.value;
};
const metricsOf = (seen: readonly Seen[]): Record<string, number> =>
  Object.assign({}, ...seen.map((event) => (event.type === 'metrics' ? event.values : {}))) as Record<
    string,
    number
  >;

test('pays beside the world, and goes on within episodes to the same bits', async () => {
  const spec = small();
  const whole = await runInto(device, spec, join(folder, 'whole'));
  const first = await runInto(device, spec, join(folder, 'parts'), { stopAfter: 5 });
  expect(first.outcome).toBe('stopped');
  const resumeFrom = lastCheckpoint(first.seen);
  const rest = await runInto(device, spec, join(folder, 'parts'), { attempt: 2, resumeFrom });
  const unpaid = await runInto(
    device,
    small({ task: { ...spec.task, charts: charts.map(({ chart }) => ({ chart, weight: 0 })) } }),
    join(folder, 'unpaid'),
  );
  const [a, b, c] = await Promise.all(
    [whole, rest, unpaid].map(({ seen }) => readCheckpoint(lastCheckpoint(seen))),
  );
  expect(b.model.parameters.flat).toEqual(a.model.parameters.flat);
  expect(b.state).toEqual(a.state);
  expect(c.model.parameters.flat).not.toEqual(a.model.parameters.flat);
});

test('is measured in evaluations, whose first episodes are kept as they were observed', async () => {
  const { seen } = await runInto(
    device,
    small({ budget: { steps: 2, batch: 64 } }),
    join(folder, 'measured'),
  );
  const { charts: measured = [], trajectories = [] } = played(seen);
  expect(measured.map(({ name }) => name)).toEqual(charts.map(({ chart }) => chart.name));
  const metrics = metricsOf(seen);
  measured.forEach(({ name, complete, completeInterval: [low, high], progress }) => {
    expect(metrics).toMatchObject({
      [`eval/chart/${name}/complete`]: complete,
      [`eval/chart/${name}/progress`]: progress,
    });
    expect(metricName(`eval/chart/${name}/progress`)?.text).toContain('order');
    expect(complete).toBeGreaterThanOrEqual(low);
    expect(complete).toBeLessThanOrEqual(high);
    expect(progress).toBeGreaterThanOrEqual(complete);
  });
  // of 20 episodes 16 are kept; a network that has learned nothing reaches some states of both orders
  expect(trajectories).toHaveLength(16);
  const road = controlWorldById('control/lane-grid', 'world');
  const compiled = compileWatched(
    road,
    charts.map((one) => WatchedChart.parse(one)),
    'charts',
  );
  compiled.forEach((one, c) => {
    const shares = trajectories.map((steps) => replay(one.compiled, steps).share);
    const sum = shares.reduce((total, share) => total + share, 0);
    expect(sum).toBeGreaterThan(0);
    expect(sum).toBeLessThanOrEqual(20 * measured[c].progress + 1e-9);
    expect(sum).toBeGreaterThanOrEqual(20 * measured[c].progress - 4);
  });
});

test('a run without charts keeps no episodes', async () => {
  const task = { kind: 'control', id: 'control/lane-grid' };
  const { seen } = await runInto(
    device,
    small({ task, budget: { steps: 2, batch: 64 } }),
    join(folder, 'none'),
  );
  expect(Object.keys(played(seen))).not.toContain('trajectories');
  expect(Object.keys(metricsOf(seen)).filter((name) => name.startsWith('eval/chart'))).toEqual([]);
});

test('a chart with a fault is refused before anything runs', () => {
  const [{ chart }] = charts;
  const states = [...chart.states, { name: 'racing', when: [{ value: 'height', is: '>', than: 2 }] }];
  const task = { kind: 'control', id: 'control/lane-grid', charts: [{ chart: { ...chart, states } }] };
  expect(caught(() => small({ task }))).toMatchObject({
    kind: 'invalid-input',
    where: 'task.charts.0.chart.states.3.when.0.value',
  });
});
