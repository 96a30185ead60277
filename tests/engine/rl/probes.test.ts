import { describe, expect, test } from 'vitest';
import { unchangedShare } from '../../../engine/rl/kernel/probes/changed-parameters.ts';
import { importanceOf } from '../../../engine/rl/kernel/probes/importance.ts';
import { rowProbes } from '../../../engine/rl/kernel/probes/index.ts';
import { probed } from '../../../engine/rl/kernel/probes/probe.ts';
import { rowMetrics } from '../../../engine/rl/kernel/recorder.ts';
import { ragged, type Table } from '../../../engine/rl/kernel/rows.ts';

const perToken = (rows: number[][]) => ragged(rows, Float32Array);
const masks = (rows: number[][]) => ragged(rows, Uint8Array);
const measured = (...tables: Table[]) => probed(rowProbes, tables);

describe('expected share of flat groups', () => {
  const expected = (rewards: number[], groups: number[]) =>
    measured({ 'reward/total': Float64Array.from(rewards), groupId: Float64Array.from(groups) })[
      'frac_reward_zero_std/expected'
    ];

  test('is p^G + (1 − p)^G for rewards of 0 or 1', () => {
    // p = ¼, G = 4
    expect(expected([1, 0, 0, 0, 0, 1, 0, 0], [0, 0, 0, 0, 1, 1, 1, 1])).toBeCloseTo(
      0.25 ** 4 + 0.75 ** 4,
      12,
    );
  });

  test('is the mean over groups of other sizes, and the chance of equal rewards for any values', () => {
    // values ½, ¼, ¼; groups of 1 and 3: (1 + ½³ + 2 · ¼³) ⁄ 2
    expect(expected([2, 2, 5, 7], [0, 1, 1, 1])).toBeCloseTo((1 + 0.125 + 2 / 64) / 2, 12);
    expect(expected([3], [0])).toBe(1);
  });

  test('equals the observed share, on average, where every answer has the same chance', () => {
    // all 2^6 outcomes of two groups of three answers with p = ½
    const all = Array.from({ length: 64 }, (_, n) => Array.from({ length: 6 }, (__, r) => (n >> r) & 1));
    const groupId = Float64Array.from([0, 0, 0, 1, 1, 1]);
    const observed = all.map(
      (rewards) => rowMetrics({ groupId, 'reward/total': Float64Array.from(rewards) }).frac_reward_zero_std,
    );
    expect(observed.reduce((a, b) => a + b, 0) / 64).toBeCloseTo(0.5 ** 3 + 0.5 ** 3, 12);
  });
});

test('distinct answers: shares of groups of two or more; not measured without one', () => {
  const of = (completion: string[], groups: number[]) =>
    measured({ completion, groupId: Float64Array.from(groups) })['completions/distinct'];
  expect(of(['a', 'a', 'b', 'c', 'c', 'z'], [0, 0, 0, 1, 1, 2])).toBeCloseTo((2 / 3 + 1 / 2) / 2, 12);
  expect(of(['a', 'b'], [0, 1])).toBeUndefined();
});

describe('divergence from the initial policy', () => {
  const columns = (d: number[][], mask: number[][]): Table => ({
    mask: masks(mask),
    behaviorLogp: perToken(d.map((row) => row.map((x) => x - 2))),
    'logp/initial': perToken(d.map((row) => row.map(() => -2))),
  });

  test('k1, k2 and k3 over the sampled tokens', () => {
    const found = measured(columns([[9, 0.5, -0.25], [0]], [[0, 1, 1], [1]]));
    expect(found['kl/k1']).toBeCloseTo(0.25 / 3, 6);
    expect(found['kl/k2']).toBeCloseTo((0.25 + 0.0625) / 6, 6);
    expect(found['kl/k3']).toBeCloseTo((Math.exp(-0.5) - 0.5 + Math.exp(0.25) - 1.25) / 3, 6);
  });

  test('has no value without sampled tokens, or where no stage has read the initial model', () => {
    expect(measured(columns([[1]], [[0]]))).toEqual({});
    const { mask, behaviorLogp } = columns([[1]], [[1]]);
    expect(measured({ mask, behaviorLogp })).toEqual({});
    expect(measured({}, columns([[1]], [[1]]))['kl/k1']).toBeCloseTo(1, 6);
  });
});

describe('importance weights', () => {
  test('differences of tokens, and Kish’s effective sample size of answers', () => {
    const found = importanceOf(
      perToken([[0, Math.log(3)], [7], [0]]),
      perToken([[0, 0], [0], [0]]),
      masks([[1, 1], [0], [1]]),
    );
    expect(found?.difference.mean).toBeCloseTo(Math.log(3) / 3, 6);
    expect(found?.difference.max).toBeCloseTo(Math.log(3), 6);
    // weights 3, 1, 1: 25 ⁄ (3 · 11)
    expect(found?.effective).toBeCloseTo(25 / 33, 6);
  });

  test('do not overflow, are 1 for equal policies, and have no value without a sampled token', () => {
    const [far, near] = [perToken([[-800], [0]]), perToken([[0], [0]])];
    expect(importanceOf(far, near, masks([[1], [1]]))?.effective).toBe(0.5);
    expect(importanceOf(near, far, masks([[1], [1]]))?.effective).toBe(0.5);
    expect(importanceOf(near, near, masks([[1], [1]]))?.effective).toBe(1);
    expect(importanceOf(near, near, masks([[0], [0]]))).toBeUndefined();
  });
});

describe('update sparsity', () => {
  test('counts parameters that are equal, and equal in bfloat16, which has 8 significant bits', () => {
    const before = Float32Array.from([1, 1, 1, 0, -2]);
    const after = Float32Array.from([1, 1 + 2 ** -10, 1 + 2 ** -7, -0, -2.5]);
    expect(unchangedShare(before, after)).toEqual({ float32: 2 / 5, bfloat16: 3 / 5 });
  });

  test('rounds to the nearest even', () => {
    // 1 + 2^-8 is halfway between 1 and 1 + 2^-7, and rounds to 1; 1 + 3 · 2^-8 rounds up to 1 + 2^-6
    const of = (a: number, b: number) => unchangedShare(Float32Array.of(a), Float32Array.of(b))?.bfloat16;
    expect(of(1, 1 + 2 ** -8)).toBe(1);
    expect(of(1 + 2 ** -7, 1 + 3 * 2 ** -8)).toBe(0);
    expect(of(1 + 2 ** -6, 1 + 3 * 2 ** -8)).toBe(1);
  });

  test('has no value for one array, none, or arrays of other lengths', () => {
    const one = Float32Array.of(1, 2);
    expect(unchangedShare(one, one)).toBeUndefined();
    expect(unchangedShare(new Float32Array(0), new Float32Array(0))).toBeUndefined();
    expect(unchangedShare(one, Float32Array.of(1))).toBeUndefined();
  });

  test('samples a large model evenly', () => {
    const size = 3 * 2 ** 22;
    const before = new Float32Array(size);
    const after = before.slice().fill(1, 0, size / 2);
    expect(unchangedShare(before, after)?.float32).toBeCloseTo(0.5, 4);
  });
});
