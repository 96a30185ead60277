import { mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { checkSpec } from '../../../engine/index.ts';
import { readCheckpoint } from '../../../engine/models/checkpoint.ts';
import { networkConfigOf } from '../../../engine/models/config.ts';
import { stream } from '../../../engine/random/random.ts';
import { liveModel } from '../../../engine/rl/compute/live-model.ts';
import { modelGraph } from '../../../engine/rl/compute/model-graph.ts';
import { Updater } from '../../../engine/rl/compute/updater.ts';
import type { Objective } from '../../../engine/rl/kernel/objective.ts';
import { Ring } from '../../../engine/rl/kernel/ring.ts';
import { observedOf, ragged, tableRows, type Table } from '../../../engine/rl/kernel/rows.ts';
import { replayMetrics } from '../../../engine/rl/kernel/replay-metrics.ts';
import * as part from '../../../engine/rl/parts/index.ts';
import { Buffers } from '../../../engine/rl/run/buffers.ts';
import { openDevice, type Device } from '../../../engine/runtime/index.ts';
import { OptimizerSpec, type RunSpec } from '../../../engine/schema/run-spec.ts';
import { caught, rejected } from '../../support/errors.ts';
import { formulaModel } from '../../support/families.ts';
import { readOracle } from '../../support/objective-oracle.ts';
import { networkCases } from '../../support/oracle-cases.ts';
import { stepRows, type OracleSteps } from '../../support/oracle-steps.ts';
import { runPart } from '../../support/run-part.ts';
import { lastCheckpoint, noResources, runInto } from '../../support/toy-run.ts';

type Term = 'weighedSoftValues' | 'softStateValue';
interface Oracle extends OracleSteps {
  readonly hidden: readonly number[];
  readonly gamma: number;
  readonly beta: number;
  readonly threshold: number;
  readonly rate: number;
  readonly bound: number;
  readonly old: readonly number[];
  readonly z: readonly number[];
  readonly cases: Readonly<
    Record<Term, { readonly loss: number; readonly gradient: Readonly<Record<string, readonly number[]>> }>
  >;
  readonly regularized: readonly number[];
  readonly prioritized: readonly number[];
}
const oracle = readOracle<Oracle>('replay-weights');

let device: Device;
let folder: string;
beforeAll(async () => {
  device = await openDevice({ id: 'cpu', threads: 1 });
  folder = await mkdtemp(join(tmpdir(), 'whetstone-replay-'));
});
afterAll(() => rm(folder, { recursive: true, force: true }));

/** The oracle's network, whose values of states differ more than its other outputs. */
const model = () => {
  const made = formulaModel(
    networkConfigOf({ hidden: oracle.hidden, activation: 'relu' }, 3, 4, 'valued-numbers'),
  );
  const change: Readonly<Record<string, (weight: number) => number>> = {
    'critic.0.weight': (weight) => 10 * weight,
    'critic.2.weight': (weight) => -10 * weight,
    'critic.2.bias': (weight) => weight - 0.95,
  };
  for (const { name, offset, size } of made.parameters.slots)
    for (let at = offset; at < offset + size; at++)
      made.parameters.flat[at] = change[name]?.(made.parameters.flat[at]) ?? made.parameters.flat[at];
  return made;
};
const target = () => {
  const made = formulaModel(
    networkConfigOf({ hidden: oracle.hidden, activation: 'relu' }, 3, 4, 'valued-numbers'),
  );
  made.parameters.flat.forEach((weight, at) => {
    made.parameters.flat[at] = -0.7 * weight + 0.05;
  });
  return made;
};

const numbers = (table: Table, name: string) => Array.from(table[name] as Float64Array);

/** The oracle's steps, as they are drawn from the ring, with its noise and weights. */
const steps = (): Table => ({
  ...stepRows(oracle),
  'row/priority': Float64Array.from(oracle.old),
  'row/importance': Float64Array.from(oracle.old),
});

describe('weighed replay has the numbers of PyTorch', () => {
  test.each(Object.entries<Objective>(networkCases['replay-weights']) as [Term, Objective][])(
    '%s: loss and gradient',
    async (name, objective) => {
      // the line beyond 7 and the bound of the mean below 0 are both met
      expect(Math.max(...oracle.z)).toBeGreaterThan(7.5);
      expect(Math.min(...oracle.z)).toBeLessThan(-0.5);
      const { config, parameters } = model();
      const updater = new Updater({
        device,
        graph: modelGraph(config),
        parameters,
        objective,
        optimizer: OptimizerSpec.parse({}),
        limits: { maxTokens: 8 },
        temperature: 1,
        steps: 1,
        // all rows stay together nevertheless
        ...(name === 'softStateValue' && { microBatchTokens: 4 }),
      });
      updater.readOthers(() => liveModel(device, target()));
      const { loss, gradient } = await updater.gradient(steps());
      expect(loss).toBeCloseTo(oracle.cases[name].loss, 4);
      for (const slot of parameters.slots)
        oracle.cases[name].gradient[slot.name].forEach((value, at) => {
          expect(gradient[slot.offset + at], `${slot.name} ${at}`).toBeCloseTo(value, 3);
        });
    },
  );

  test.each(['regularized', 'prioritized', 'uniform'] as const)('%s: priorities', async (by) => {
    const [policy, average] = [model(), target()].map((each) => liveModel(device, each).port(1, {} as never));
    const { gamma, rate, bound } = oracle;
    const stage = part.replayWeights({ by, gamma, beta: 1, rate, bound });
    const ports = { 'model/policy': policy, 'model/average': average };
    const moved = numbers(await runPart(stage, steps(), { ports }), 'row/priority');
    const wanted = by === 'uniform' ? oracle.old : oracle[by];
    wanted.forEach((priority, r) => expect(moved[r]).toBeCloseTo(priority, 5));
  });
});

/** Made steps, as `enterWith` finds them. */
const madeSteps = (...rewards: number[]): Table => ({
  tokens: {
    ...ragged(
      rewards.map(() => [0, 0]),
      Int32Array,
    ),
    observed: observedOf(
      rewards.map((reward) => Float32Array.of(0, reward)),
      1,
    ),
  },
  mask: ragged(
    rewards.map(() => [0, 1]),
    Uint8Array,
  ),
  weight: new Float64Array(rewards.length).fill(1),
  behaviorLogp: ragged(
    rewards.map(() => [0, 0]),
    Float32Array,
  ),
  'credit/earned': ragged(
    rewards.map((reward) => [0, reward]),
    Float64Array,
  ),
  'row/terminal': new Float64Array(rewards.length),
  'row/finished': new Float64Array(rewards.length).fill(1),
  'row/return': Float64Array.from(rewards),
  'row/length': new Float64Array(rewards.length).fill(1),
});

describe('a ring with weights', () => {
  const plan = {
    steps: { of: 'policy', last: 4, fresh: false, unselected: true, ring: true, keeps: part.weighedColumns },
  };
  const turn = async (
    buffers: Buffers,
    made: Table,
    { by, draw, count = 400 }: { by: part.ReplayRule; draw: number; count?: number },
  ): Promise<Table> => {
    const ports = Object.fromEntries(
      [...part.weighedColumns, 'row/serial'].map((column) => [
        `buffer/steps/${column}`,
        buffers.column('steps', column),
      ]),
    );
    const entered = await runPart(part.enterWith({ from: 'steps', by }), made, { ports, draw });
    const stage = part.drawStored({ from: 'steps', by, count, after: 1 });
    const random = (purpose: string) => stream(draw, purpose);
    const table = await runPart(stage, entered, { ports, draw, random });
    const given = { ...table, 'row/priority': table['row/serial'] as Float64Array };
    buffers.add({ role: 'policy', endsTurn: true }, by === 'uniform' ? table : given, entered);
    return table;
  };

  test('takes over the priorities of drawn rows, and of none that was written over', async () => {
    const buffers = new Buffers(plan);
    expect(tableRows(await turn(buffers, madeSteps(5, 6, 7, 8), { by: 'regularized', draw: 0 }))).toBe(0);
    const table = await turn(buffers, madeSteps(9), { by: 'regularized', draw: 3 });
    expect(new Set(numbers(table, 'row/serial'))).toEqual(new Set([0, 1, 2, 3]));
    expect(new Set(numbers(table, 'row/importance'))).toEqual(new Set([1]));
    expect(replayMetrics(table)).toMatchObject({ 'replay/age': 3, 'replay/effective_sample_size': 1 });
    // row 4 is in the slot of row 0, with the weight of a new one
    expect(numbers(buffers.table('steps'), 'row/priority')).toEqual([1, 1, 2, 3]);
    const ring = new Ring(4, buffers.table('steps'));
    ring.rewrite('row/priority', Float64Array.of(0, 4), Float64Array.of(50, 60));
    expect(Array.from(ring.column('row/priority') as Float64Array)).toEqual([60, 1, 2, 3]);
  });

  test('draws in proportion to priority and weighs against it, where new rows have the greatest', async () => {
    const buffers = new Buffers(plan);
    await turn(buffers, madeSteps(5, 6, 7), { by: 'prioritized', draw: 0 });
    await turn(buffers, madeSteps(8), { by: 'prioritized', draw: 1, count: 100 });
    // as many as their numbers say: 0 is never drawn again
    expect(numbers(buffers.table('steps'), 'row/priority')).toEqual([0, 1, 2, 1]);
    const drawn = await turn(buffers, madeSteps(9), { by: 'prioritized', draw: 2, count: 4000 });
    const counts = [0, 1, 2, 3].map(
      (serial) => numbers(drawn, 'row/serial').filter((each) => each === serial).length,
    );
    expect(counts[0]).toBe(0);
    [1000, 2000, 1000].forEach((mean, at) => expect(Math.abs(counts[at + 1] - mean)).toBeLessThan(150));
    numbers(drawn, 'row/priority').forEach((priority, r) =>
      expect(numbers(drawn, 'row/importance')[r]).toBeCloseTo(priority === 2 ? 0.5 ** 0.4 : 1, 9),
    );
  });

  test('tells when one row has nearly all the weight', () => {
    const weights = Float64Array.of(1, 1, 98, 0);
    const table = {
      'row/fresh': new Float64Array(4),
      'row/age': Float64Array.of(1, 2, 3, 6),
      'row/importance': weights,
    };
    expect(replayMetrics(table)).toEqual({
      'replay/share': 1,
      'replay/age': 3,
      // type 7 of NumPy: numpy.quantile([1, 2, 3, 6], [.1, .5, .9])
      'replay/age/p10': expect.closeTo(1.3, 9) as number,
      'replay/age/p50': 2.5,
      'replay/age/p90': expect.closeTo(5.1, 9) as number,
      'replay/effective_sample_size': expect.closeTo(100 ** 2 / (4 * (98 ** 2 + 2)), 9) as number,
      'replay/heaviest': 0.98,
      'replay/weight/p10': expect.closeTo(0.3 / 25, 9) as number,
      'replay/weight/p50': expect.closeTo(1 / 25, 9) as number,
      'replay/weight/p90': expect.closeTo(68.9 / 25, 9) as number,
      'replay/weight/max': 98 / 25,
    });
  });

  test('says nothing of the spread of weights that are not finite', () => {
    const table = {
      'row/fresh': new Float64Array(2),
      'row/age': Float64Array.of(1, 2),
      'row/importance': Float64Array.of(1, Number.NaN),
    };
    const metrics = replayMetrics(table);
    expect(metrics['replay/age/p50']).toBe(1.5);
    expect(Object.keys(metrics).filter((name) => name.startsWith('replay/weight'))).toEqual([]);
  });
});

const small = (params: object = {}, more: object = {}): RunSpec =>
  checkSpec({
    method: {
      id: 'sac-replay',
      params: { copies: 2, drawn: 16, capacity: 60, warmup: 5, offline: 4, ...params },
    },
    models: { policy: { kind: 'network', hidden: [8] } },
    task: { kind: 'control', id: 'control/pendulum' },
    budget: { steps: 24, batch: 8 },
    evaluation: { problems: 5 },
    checkpoints: { every: 8 },
    seed: 4,
    ...more,
  });
const valuesOf = (events: readonly { type: string }[]) =>
  events.flatMap((event) =>
    event.type === 'metrics' ? [(event as unknown as { values: Record<string, number> }).values] : [],
  );
const reported = (events: readonly { type: string }[]) =>
  valuesOf(events).flatMap((values) =>
    Object.entries(values).filter(([name]) => !/^(seconds|system|tokens_per)/.test(name)),
  );

test.each(['regularized', 'prioritized'])(
  'a run with %s replay that was stopped goes on to the same bits, stored weights included',
  async (replay) => {
    // where no step is rewarded, the ratio of half of the steps is above 1
    const task = { kind: 'control', id: 'control/point-maze' };
    const spec = small({ replay, rate: 0.5, beta: 0.1 }, { task });
    const whole = await runInto(device, spec, join(folder, `whole-${replay}`));
    const parts = join(folder, `parts-${replay}`);
    const first = await runInto(device, spec, parts, { stopAfter: 11 });
    expect(first.outcome).toBe('stopped');
    const resumeFrom = lastCheckpoint(first.seen);
    const rest = await runInto(device, spec, parts, { attempt: 2, resumeFrom });
    const [a, b] = await Promise.all([whole, rest].map(({ seen }) => readCheckpoint(lastCheckpoint(seen))));
    expect(b.model.parameters.flat).toEqual(a.model.parameters.flat);
    expect(b.state).toEqual(a.state);
    const metrics = reported(rest.seen);
    expect(metrics.length).toBeGreaterThan(50);
    expect(metrics).toEqual(reported(whole.seen).slice(-metrics.length));
    // evaluated after its last update: the ring is full, and some weights have moved
    const held = whole.seen.flatMap((event) =>
      event.type === 'result' && event.kind === 'replay' ? [event.value] : [],
    );
    expect(held.at(-1)).toMatchObject({ step: 24, buffer: 'steps', rows: 60 });
    expect(
      held
        .at(-1)
        ?.counts.flat()
        .reduce((a, b) => a + b, 0),
    ).toBe(60);
    expect(held.at(-1)?.counts.length).toBeGreaterThan(1);
    const sizes = valuesOf(whole.seen).flatMap(({ 'replay/effective_sample_size': size }) => size ?? []);
    expect(sizes[0]).toBe(1);
    expect(Math.min(...sizes)).toBeLessThan(0.999);
  },
);

test('a run learns from the steps of another policy before it acts', async () => {
  const { seen } = await runInto(device, small({ offline: 0 }), join(folder, 'behavior'));
  const resources = { ...noResources, checkpoints: { c: lastCheckpoint(seen) } };
  const network = { kind: 'network', hidden: [8] };
  const models = { policy: network, behavior: { kind: 'checkpoint', checkpointId: 'c' } };
  const spec = small({ logged: 1, offline: 10 }, { models });
  const whole = await runInto(device, spec, join(folder, 'offline'), { resources });
  const ages = valuesOf(whole.seen).flatMap(({ 'replay/age': age }) => age ?? []);
  // batches 0 to 4 are stored; in batches 5 to 14 nothing joins them
  ages.slice(0, 10).forEach((age, at) => {
    expect(age).toBeGreaterThanOrEqual(1 + at);
    expect(age).toBeLessThanOrEqual(5 + at);
  });
  expect(Math.max(...ages.slice(16))).toBeLessThan(Math.max(...ages));
  // neither while nothing is played
  expect(reported(whole.seen).filter(([, value]) => !Number.isFinite(value))).toEqual([]);
  const random = await runInto(device, small({ offline: 10 }, { models }), join(folder, 'random'), {
    resources,
  });
  expect(valuesOf(random.seen)[0].loss).not.toBe(valuesOf(whole.seen)[0].loss);
});

test('a network without a value of states does not start such a run', async () => {
  const sac = small({}, { method: { id: 'sac', params: { copies: 2, drawn: 16, capacity: 60, warmup: 5 } } });
  const { seen } = await runInto(device, sac, join(folder, 'sac'));
  const resources = { ...noResources, checkpoints: { c: lastCheckpoint(seen) } };
  const models = { policy: { kind: 'checkpoint', checkpointId: 'c' } };
  expect(
    await rejected(runInto(device, small({}, { models }), join(folder, 'refused'), { resources })),
  ).toMatchObject({ kind: 'invalid-input', where: 'models.policy.checkpointId' });
  expect(caught(() => small({ bound: 0.5 }))).toMatchObject({ kind: 'invalid-input' });
});
