import { beforeAll, describe, expect, test } from 'vitest';
import { exploreChoice, type ControlWorld } from '../../../engine/control/index.ts';
import { networkConfigOf } from '../../../engine/models/config.ts';
import { createModel } from '../../../engine/models/model.ts';
import { stream } from '../../../engine/random/random.ts';
import { liveModel } from '../../../engine/rl/compute/live-model.ts';
import { modelGraph } from '../../../engine/rl/compute/model-graph.ts';
import { Updater } from '../../../engine/rl/compute/updater.ts';
import { Ring } from '../../../engine/rl/kernel/ring.ts';
import { observedOf, ragged, tableRows, type Table } from '../../../engine/rl/kernel/rows.ts';
import * as part from '../../../engine/rl/parts/index.ts';
import { epsilonAt, exploreIn } from '../../../engine/rl/tasks/control-source.ts';
import { openDevice, type Device } from '../../../engine/runtime/index.ts';
import { OptimizerSpec } from '../../../engine/schema/run-spec.ts';
import { caught } from '../../support/errors.ts';
import { formulaModel } from '../../support/families.ts';
import { networkCases } from '../../support/oracle-cases.ts';
import { readOracle } from '../../support/objective-oracle.ts';
import { runPart } from '../../support/run-part.ts';

type Rows = readonly (readonly number[])[];
interface Oracle {
  readonly hidden: readonly number[];
  readonly gamma: number;
  readonly actions: Rows;
  readonly rewards: Rows;
  readonly observed: readonly Rows[];
  readonly behaviorLogp: Rows;
  readonly terminal: readonly number[];
  /** Beside those of PPO. */
  readonly cases: Readonly<Record<string, QLearning>>;
}
interface QLearning {
  readonly double: boolean;
  readonly of: 'squared' | 'huber';
  readonly targets: readonly number[];
  readonly loss: number;
  readonly gradient: Readonly<Record<string, readonly number[]>>;
}
const oracle = readOracle<Oracle>('network');

let device: Device;
beforeAll(async () => {
  device = await openDevice({ id: 'cpu', threads: 1 });
});

const behind = (rows: Rows) => rows.map((row) => [0, ...row]);

/** The pieces of the oracle: one that was cut off, and one that ended in a terminal state. */
const pieces = (): Table => ({
  tokens: {
    ...ragged(behind(oracle.actions), Int32Array),
    observed: observedOf(
      oracle.observed.map((row) => Float32Array.from(row.flat())),
      3,
    ),
  },
  mask: ragged(
    oracle.actions.map((row) => [0, ...row.map(() => 1)]),
    Uint8Array,
  ),
  weight: Float64Array.of(1, 1),
  behaviorLogp: ragged(behind(oracle.behaviorLogp), Float32Array),
  'credit/earned': ragged(behind(oracle.rewards), Float64Array),
  'row/terminal': Float64Array.from(oracle.terminal),
  'row/finished': Float64Array.of(1, 1),
});

const cases = Object.values(oracle.cases).filter((found) => 'targets' in found);

describe.each(cases)('Q-learning, double: $double, $of', (found) => {
  const model = () =>
    formulaModel(networkConfigOf({ hidden: oracle.hidden, activation: 'relu' }, 3, 3, 'values'));

  test.each([false, true])('has the numbers of PyTorch; steps apart: %s', async (single) => {
    const { config, parameters } = model();
    const target = model();
    target.parameters.flat.forEach((weight, at) => {
      target.parameters.flat[at] = -0.7 * weight + 0.05;
    });
    const ports = {
      'model/policy': { act: liveModel(device, model()).port(1, {} as never).act },
      'model/average': { act: liveModel(device, target).port(1, {} as never).act },
    };
    const made = single
      ? await runPart(part.singleSteps('behaviorLogp', 'credit/earned'), pieces())
      : pieces();
    const { gamma } = oracle;
    const table = await runPart(part.tdTarget({ gamma, double: found.double }), made, { ports });
    const { values } = table.returns as { values: Float64Array };
    const { values: trained } = table.mask as { values: Uint8Array };
    const targets = values.filter((_, at) => trained[at] === 1);
    expect(targets).toHaveLength(5);
    found.targets.forEach((value, step) => expect(targets[step]).toBeCloseTo(value, 5));
    const updater = new Updater({
      device,
      graph: modelGraph(config),
      parameters,
      objective: networkCases.network[found.of],
      optimizer: OptimizerSpec.parse({}),
      limits: { maxTokens: 8 },
      temperature: 1,
      steps: 1,
    });
    const { loss, gradient } = await updater.gradient(table);
    expect(loss).toBeCloseTo(found.loss, 5);
    for (const { name, offset, size } of parameters.slots)
      found.gradient[name].forEach((value, at) => {
        expect(gradient.subarray(offset, offset + size)[at], `${name} ${at}`).toBeCloseTo(value, 5);
      });
  });
});

test('ε falls linearly over a share of the run', () => {
  const how = { epsilonFirst: 1, epsilonLast: 0.05, epsilonUntil: 0.5 };
  expect([0, 0.25, 0.5, 1].map((progress) => epsilonAt(how, progress))).toEqual([1, 0.525, 0.05, 0.05]);
  expect(epsilonAt({ ...how, epsilonUntil: 0 }, 0)).toBe(0.05);
});

test('actions are taken with the probability that is stored', () => {
  const random = stream(3, 'choices');
  const counts = [0, 0, 0];
  const logp = new Array<number>(3).fill(NaN);
  const draws = 20_000;
  for (let draw = 0; draw < draws; draw++) {
    const choice = exploreChoice(1, 3, 0.3, random);
    counts[choice.action]++;
    logp[choice.action] = choice.logp;
  }
  expect(logp.map(Math.exp)).toEqual([0.1, 0.8, 0.1].map((p) => expect.closeTo(p, 12) as number));
  counts.forEach((count, action) => {
    const p = Math.exp(logp[action]);
    // five standard deviations
    expect(Math.abs(count - p * draws)).toBeLessThan(5 * Math.sqrt(draws * p * (1 - p)));
  });
});

/** Steps named by a number, as a ring holds them. */
const steps = (...names: number[]): Table => ({
  tokens: {
    ...ragged(
      names.map((name) => [0, name]),
      Int32Array,
    ),
    observed: observedOf(
      names.map((name) => Float32Array.of(name, -name)),
      1,
    ),
  },
  mask: ragged(
    names.map(() => [0, 1]),
    Uint8Array,
  ),
  weight: Float64Array.from(names, () => 1),
  behaviorLogp: ragged(
    names.map((name) => [0, -name]),
    Float32Array,
  ),
  'credit/earned': ragged(
    names.map((name) => [0, name / 2]),
    Float64Array,
  ),
  'row/terminal': Float64Array.from(names, (name) => name % 2),
});
const held = (ring: Ring) => Array.from((ring.column('row/terminal') ?? []) as Float64Array);
const named = (table: Table) =>
  Array.from((table.tokens as { values: Int32Array }).values).filter((_, at) => at % 2 === 1);

describe('a ring', () => {
  test('holds the newest rows, each over the oldest, without another array', () => {
    const ring = new Ring(3);
    expect([ring.rows, ring.column('weight'), ring.table()]).toEqual([0, undefined, {}]);
    ring.push(steps(1, 2));
    const before = (ring.column('weight') as Float64Array).buffer;
    ring.push(steps(3, 4));
    expect(named(ring.table())).toEqual([4, 2, 3]);
    ring.push(steps(5, 6, 7, 8, 9));
    expect(named(ring.table())).toEqual([7, 8, 9]);
    expect(held(ring)).toEqual([1, 0, 1]);
    const { observed } = ring.column('tokens') as { observed: { values: Float32Array } };
    expect([...observed.values]).toEqual([7, -7, 8, -8, 9, -9]);
    expect((ring.column('weight') as Float64Array).buffer).toBe(before);
  });

  test('goes on from its table as if it had not been saved', () => {
    const rings = [new Ring(4), new Ring(4)];
    const push = (ring: Ring, names: number[]) => ring.push(steps(...names));
    rings.forEach((ring) => push(ring, [1, 2, 3, 4, 5]));
    rings[1] = new Ring(4, structuredClone(rings[1].table()));
    rings.forEach((ring) => push(ring, [6, 7]));
    expect(named(rings[0].table())).toEqual([5, 6, 7, 4]);
    expect(rings[1].table()).toEqual(rings[0].table());
    // with less room the newest stay
    const small = new Ring(2, rings[0].table());
    expect(named(small.table()).toSorted()).toEqual([6, 7]);
    // with more, all are there, and nothing else
    const large = new Ring(6, rings[0].table());
    push(large, [8]);
    expect(named(large.table())).toEqual([4, 5, 6, 7, 8]);
  });

  test('refuses rows of another length and columns of texts', () => {
    const ring = new Ring(4);
    ring.push({ mask: ragged([[0, 1]], Uint8Array) });
    expect(caught(() => ring.push({ mask: ragged([[0, 1, 1]], Uint8Array) }))).toMatchObject({
      kind: 'internal',
    });
    expect(caught(() => new Ring(4).push({ completion: ['a'] }))).toMatchObject({ kind: 'internal' });
  });
});

const portsOf = (ring: Ring) =>
  Object.fromEntries(part.transitionColumns.map((column) => [`buffer/steps/${column}`, ring.column(column)]));

test('every stored step is drawn alike, with all that is stored of it', async () => {
  const ring = new Ring(10);
  ring.push(steps(...Array.from({ length: 13 }, (_, at) => at + 1)));
  const count = 20_000;
  const draw = part.drawUniformly({ from: 'steps', count });
  const drawn = await runPart(draw, steps(99), { ports: portsOf(ring) });
  const found = named(drawn);
  expect(found).toHaveLength(count);
  const counts = new Map<number, number>();
  found.forEach((name) => counts.set(name, (counts.get(name) ?? 0) + 1));
  expect([...counts.keys()].toSorted((a, b) => a - b)).toEqual([4, 5, 6, 7, 8, 9, 10, 11, 12, 13]);
  // χ² with 9 degrees of freedom is above 33.7 once in ten thousand
  const expected = count / 10;
  const chi = [...counts.values()].reduce((sum, n) => sum + (n - expected) ** 2 / expected, 0);
  expect(chi).toBeLessThan(33.7);
  found.slice(0, 50).forEach((name, r) => {
    expect((drawn['credit/earned'] as { values: Float64Array }).values[2 * r + 1]).toBe(name / 2);
    expect((drawn['row/terminal'] as Float64Array)[r]).toBe(name % 2);
  });
  const few = await runPart(part.drawUniformly({ from: 'steps', count, atLeast: 11 }), steps(99), {
    ports: portsOf(ring),
  });
  expect([tableRows(few), tableRows(await runPart(draw, steps(99)))]).toEqual([0, 0]);
});

const STATES = 4;
const GAMMA = 0.8;
/** Left and right on a line, 1 for leaving it at the right end; an episode is cut off after three steps. */
const chain: ControlWorld = {
  id: 'control/chain',
  title: 'Chain',
  summary: '',
  cites: '',
  observations: ['0', '1', '2', '3'],
  actions: { kind: 'choices', names: ['left', 'right'] },
  stateSize: 1,
  limit: 3,
  start: (state, at, draw) => {
    state[at] = Math.floor(draw() * STATES);
  },
  observe: (state, at, out, to) => {
    for (let s = 0; s < STATES; s++) out[to + s] = state[at] === s ? 1 : 0;
  },
  advance: (state, at, actions, from) => {
    state[at] = Math.max(0, state[at] + (actions[from] === 1 ? 1 : -1));
    return state[at] === STATES ? 1 : -0.1;
  },
  isTerminal: (state, at) => state[at] === STATES,
};
const valueIteration = (): number[] => {
  let values = new Array<number>(2 * STATES).fill(0);
  for (let sweep = 0; sweep < 200; sweep++)
    values = values.map((_, at) => {
      const next = Math.max(0, Math.floor(at / 2) + (at % 2 === 1 ? 1 : -1));
      return next === STATES ? 1 : -0.1 + GAMMA * Math.max(values[2 * next], values[2 * next + 1]);
    });
  return values;
};

test('with one-hot observations it ends at the values of value iteration, cut-off episodes or not', async () => {
  const model = createModel(networkConfigOf({ hidden: [16], activation: 'relu' }, STATES, 2, 'values'), 5);
  const live = liveModel(device, model);
  const target = createModel(model.config, 5);
  const average = liveModel(device, target);
  const port = (of: typeof live) => of.port(1, {} as never);
  const ports = { 'model/policy': port(live), 'model/average': port(average) };
  const updater = new Updater({
    device,
    graph: modelGraph(model.config),
    parameters: model.parameters,
    objective: part.tdError({ loss: 'squared' }),
    optimizer: OptimizerSpec.parse({ learningRate: 0.01, schedule: 'constant' }),
    limits: { maxTokens: 8 },
    temperature: 1,
    steps: 1000,
  });
  const acting = exploreIn({ world: chain, charts: [] });
  const explore = acting({ copies: 8, epsilonFirst: 1, epsilonLast: 1, epsilonUntil: 1 });
  const made = await runPart(explore, {}, { batch: 320, memory: { get: () => undefined, set: () => {} } });
  const ring = new Ring(320);
  const single = await runPart(part.singleSteps('behaviorLogp', 'credit/earned'), made);
  ring.push(Object.fromEntries(part.transitionColumns.map((name) => [name, single[name]])));
  const ended = single['row/finished'] as Float64Array;
  const terminal = single['row/terminal'] as Float64Array;
  expect(ended.filter((one, r) => one === 1 && terminal[r] === 0).length).toBeGreaterThan(40);
  expect(terminal.filter((one) => one === 1).length).toBeGreaterThan(20);
  for (let update = 0; update < 800; update++) {
    const random = (purpose: string) => stream(update, purpose);
    const drawn = await runPart(part.drawUniformly({ from: 'steps', count: 32 }), single, {
      ports: portsOf(ring),
      random,
    });
    await updater.update(
      await runPart(part.tdTarget({ gamma: GAMMA, double: false }), drawn, { ports }),
      update,
    );
    if (update % 20 === 0) {
      target.parameters.flat.set(model.parameters.flat);
      device.changed(target.parameters.flat);
    }
  }
  const oneHot = Float32Array.from({ length: STATES ** 2 }, (_, at) => (at % (STATES + 1) === 0 ? 1 : 0));
  const { logits } = await live.act(oneHot, STATES, 1);
  valueIteration().forEach((value, at) => expect(logits[at], `${at}`).toBeCloseTo(value, 1));
});
