import { describe, expect, test } from 'vitest';
import type { PerToken } from '../../../engine/rl/kernel/columns.ts';
import { replayMetrics } from '../../../engine/rl/kernel/replay-metrics.ts';
import { remembered, replayColumns } from '../../../engine/rl/kernel/replay.ts';
import { rowOf, tableRows, type Table } from '../../../engine/rl/kernel/rows.ts';
import * as part from '../../../engine/rl/parts/index.ts';
import { lossAndGradient } from '../../support/objective-oracle.ts';
import { answersOf, perToken, runPart } from '../../support/run-part.ts';

const numbers = (table: Table, name: string) => Array.from(table[name] as Float64Array);
const asFloats = (column: PerToken<Float64Array>): PerToken => ({
  ...column,
  values: Float32Array.from(column.values),
});

/** A batch of fresh rows with these advantages, as a recipe has it before the replay. */
const batchOf = (advantages: readonly number[], rewards = advantages): Table => {
  const rows = advantages.length;
  return {
    ...answersOf(rows),
    weight: new Float64Array(rows).fill(1),
    groupId: new Float64Array(rows),
    behaviorLogp: asFloats(perToken(advantages.map(() => -1))),
    advantage: perToken(advantages),
    'reward/total': Float64Array.from(rewards),
  };
};
const portsOf = (stored: Table) =>
  Object.fromEntries(replayColumns.map((column) => [`buffer/kept/${column}`, stored[column]]));
const plan = { capacity: 100, maxAge: 10 };

/** A batch behind the stages of a replay, and the buffer after it. */
const turn = async (
  stored: Table,
  batch: Table,
  {
    draw,
    by = 'even',
    share = 1,
    limits = plan,
  }: {
    readonly draw: number;
    readonly by?: part.FirstPriority;
    readonly share?: number;
    readonly limits?: typeof plan;
  },
) => {
  const first = await runPart(part.firstPriority({ by }), batch);
  const replayed = part.withReplay({ from: 'kept', share });
  const table = await runPart(replayed, first, { ports: portsOf(stored), draw });
  return { table, stored: remembered(stored, table, limits) };
};

describe('a replay buffer', () => {
  test('adds earlier rows behind the fresh ones, with their own columns and ages', async () => {
    const before = await turn({}, batchOf([1, 2]), { draw: 3 });
    expect(tableRows(before.table)).toBe(2);
    const { table, stored } = await turn(before.stored, batchOf([5, 6]), { draw: 5 });
    expect(numbers(table, 'row/fresh')).toEqual([1, 1, 0, 0]);
    expect(numbers(table, 'row/age')).toEqual([0, 0, 2, 2]);
    expect(numbers(table, 'reward/total')).toEqual([5, 6, 1, 2]);
    expect(rowOf(table.advantage as PerToken, 3)).toEqual(Float64Array.of(2, 2));
    expect(new Set(numbers(table, 'groupId')).size).toBe(3);
    expect(numbers(stored, 'reward/total')).toEqual([1, 2, 5, 6]);
  });

  test('forgets by age and capacity, and keeps nothing that has no priority', async () => {
    const limits = { capacity: 3, maxAge: 2 };
    const one = await turn({}, batchOf([1, -2]), { draw: 0, by: 'better', limits });
    expect(numbers(one.stored, 'reward/total')).toEqual([1]);
    const two = await turn(one.stored, batchOf([3, 4, 5]), { draw: 1, by: 'better', limits });
    expect(numbers(two.stored, 'reward/total')).toEqual([3, 4, 5]);
    const late = await turn(two.stored, batchOf([-1]), { draw: 3, by: 'better', limits });
    expect(tableRows(late.stored)).toBe(0);
  });

  test('draws in proportion to priority', async () => {
    const { stored } = await turn({}, batchOf([3, 1]), { draw: 0, by: 'advantage' });
    const { table } = await turn(stored, batchOf([7, 7, 7, 7]), { draw: 1, share: 0.5 });
    expect(tableRows(table)).toBe(6);
    const chosen = part.systematic([3, 1], 400, 0.5);
    expect(chosen.filter((r) => r === 0)).toHaveLength(300);
    expect(part.systematic([0, 1, 0], 5, 0)).toEqual(Uint32Array.of(1, 1, 1, 1, 1));
  });

  test('takes over the priorities that a later stage gives to replayed rows', async () => {
    const { stored } = await turn({}, batchOf([1, 2]), { draw: 0 });
    const { table } = await turn(stored, batchOf([5]), { draw: 1, share: 2 });
    const slots = numbers(stored, 'row/slot');
    const changed = numbers(table, 'row/slot').map((slot) => (slot === slots[0] ? 0.25 : 4));
    const after = remembered(stored, { ...table, 'row/priority': Float64Array.from(changed) }, plan);
    expect(numbers(after, 'reward/total')).toEqual([1, 2, 5]);
    expect(numbers(after, 'row/priority')).toEqual([0.25, 4, 4]);
  });

  test('adds nothing without fresh rows, nor beyond `until`', async () => {
    const { stored } = await turn({}, batchOf([1, 2]), { draw: 0 });
    expect(tableRows((await turn(stored, batchOf([]), { draw: 1 })).table)).toBe(0);
    const first = await runPart(part.firstPriority({ by: 'even' }), batchOf([1]));
    const late = part.withReplay({ from: 'kept', share: 1, until: 0.5 });
    const table = await runPart(late, first, { ports: portsOf(stored), draw: 1, progress: 0.5 });
    expect(tableRows(table)).toBe(1);
  });
});

describe('what a replay does to rows', () => {
  const mixed = async (): Promise<Table> => {
    const { stored } = await turn({}, batchOf([2, 0.4], [3, 0.2]), { draw: 0 });
    return (await turn(stored, batchOf([1, -1], [1, 0]), { draw: 1 })).table;
  };

  test('SPEAR: earlier successes count while they beat the median of fresh rewards, and leave otherwise', async () => {
    const table = await runPart(part.rebaselined, await mixed());
    const advantage = table.advantage as PerToken;
    expect(rowOf(advantage, 0)[0]).toBe(1);
    // fresh rewards 1 and 0: median .5, deviation .5
    expect(rowOf(advantage, 2)[0]).toBeCloseTo((3 - 0.5) / 0.5, 4);
    expect(rowOf(advantage, 3)[0]).toBe(0);
    expect(numbers(table, 'row/priority')).toEqual([1, 1, 1, 0]);
    const weighed = await runPart(part.weighReplayed({ weight: 0.5, warmup: 0.4 }), table, { progress: 0.1 });
    expect(numbers(weighed, 'weight')).toEqual([1, 1, 0.125, 0.125]);
  });

  test('importance weights are truncated, and give the effective sample size', async () => {
    const table = await mixed();
    // per answer of two tokens: log-ratios 0, 0, 2·0.5 and 2·(−0.5)
    const policy = { logp: async () => asFloats(perToken([-1, -1, -0.5, -1.5])) };
    const cut = await runPart(part.truncatedImportance({ cap: 2 }), table, {
      ports: { 'model/policy': policy },
    });
    const weights = numbers(cut, 'row/importance');
    expect(weights.slice(0, 3)).toEqual([1, 1, 2]);
    expect(weights[3]).toBeCloseTo(Math.exp(-1), 6);
    const average = (2 + weights[3]) / 2;
    expect(replayMetrics(cut)).toEqual({
      'replay/share': 0.5,
      'replay/age': 1,
      'replay/age/p10': 1,
      'replay/age/p50': 1,
      'replay/age/p90': 1,
      'replay/weight/p10': expect.closeTo((0.9 * weights[3] + 0.1 * 2) / average, 9),
      'replay/weight/p50': expect.closeTo(1, 9),
      'replay/weight/p90': expect.closeTo((0.1 * weights[3] + 0.9 * 2) / average, 9),
      'replay/weight/max': expect.closeTo(2 / average, 9),
      'replay/effective_sample_size': expect.closeTo((2 + weights[3]) ** 2 / (2 * (4 + weights[3] ** 2)), 9),
      'replay/heaviest': expect.closeTo(2 / (2 + weights[3]), 9),
    });
    expect(replayMetrics(batchOf([1]))).toEqual({});
  });

  test('ROER: priorities follow exp(δ ⁄ β) over its mean, clipped, by a running product', async () => {
    const table = { ...batchOf([0, 0, 0], [1, 0, 0.5]), 'row/priority': Float64Array.of(1, 2, 16) };
    const critic = { values: async () => asFloats(perToken([0.5, 0.5, 0.5])) };
    const moved = await runPart(part.optimalPriorities({ beta: 0.5, rate: 0.4, bound: 4 }), table, {
      ports: { 'model/critic': critic },
    });
    const ratios = [Math.E, 1 / Math.E, 1];
    const mean = ratios.reduce((a, b) => a + b, 0) / 3;
    const wanted = ratios.map((e, r) => (0.4 * (e / mean) + 0.6) * [1, 2, 16][r]);
    numbers(moved, 'row/priority').forEach((p, r) => expect(p).toBeCloseTo(Math.min(wanted[r], 16), 9));
  });

  test('ROER: Gumbel regression has its minimum at the soft maximum β·log E exp(r ⁄ β)', () => {
    const beta = 0.4;
    const soft = beta * Math.log((Math.exp(1 / beta) + 3) / 4);
    const { gradient } = lossAndGradient(
      part.gumbelPromptValue({ beta, cap: 50 }),
      {
        ...answersOf(4, 1),
        weight: new Float64Array(4).fill(1),
        'reward/total': Float64Array.of(1, 0, 0, 0),
      },
      { lengths: [1, 1, 1, 1], logp: [[soft], [soft], [soft], [soft]], cases: {} },
    );
    expect(Array.from(gradient).reduce((a, b) => a + b, 0)).toBeCloseTo(0, 9);
    expect(Math.abs(gradient[0])).toBeGreaterThan(0.1);
  });

  test('the tokens that would lower the entropy most lose their credit', async () => {
    const table: Table = {
      ...answersOf(2),
      behaviorLogp: asFloats({ ...perToken([0, 0]), values: Float64Array.of(-0.1, -3, -0.1, -3) }),
      advantage: perToken([1, -1]),
    };
    const cut = await runPart(part.dropCovariant({ share: 0.25 }), table);
    expect(Array.from((cut.advantage as PerToken).values)).toEqual([0, 1, -1, -1]);
  });

  test('ReMix: the reference becomes the previous policy at the switch', async () => {
    const table = { 'logp/initial': asFloats(perToken([-1])), 'logp/policy': asFloats(perToken([-2])) };
    const at = async (progress: number) =>
      (await runPart(part.movingReference({ at: 0.5 }), table, { progress }))['logp/initial'];
    expect(await at(0.4)).toBe(table['logp/initial']);
    expect(await at(0.5)).toBe(table['logp/policy']);
  });
});
