import { describe, expect, test } from 'vitest';
import type { Component } from '../../../engine/rewards/composers/composer.ts';
import { dominatedVolume, frontOf } from '../../../engine/rewards/composers/dominated-volume.ts';
import { openComposer } from '../../../engine/rewards/composers/index.ts';
import { storedTotals } from '../../../engine/rewards/composers/stored-totals.ts';
import { centered } from '../../../engine/rl/parts/credit/center-by-group.ts';

/** Components `a`, `b`, … with these weights. */
const named = (...weights: number[]): Component[] =>
  weights.map((weight, k) => ({ name: 'abcdef'[k], weight, where: `rewards.${k}` }));
const of = (id: string, params: object = {}, weights: number[] = [1, 1]) =>
  openComposer({ id, params: { ...params } }, named(...weights));
const scored = (columns: number[][], { progress = 1, groups = [columns[0].map((_, r) => r)] } = {}) => ({
  values: Object.fromEntries(columns.map((column, k) => ['abcdef'[k], Float64Array.from(column)])),
  groups,
  rows: columns[0].length,
  progress,
});
const rounded = (values: Iterable<number>) => [...values].map((x) => Math.round(x * 1e9) / 1e9);
const refused = (make: () => unknown): unknown => {
  try {
    make();
  } catch (error) {
    return error;
  }
  return undefined;
};

describe('product', () => {
  test('multiplies powers; a value below 0 counts as 0', () => {
    const { total } = of('product', {}, [1, 2]).compose(
      scored([
        [2, 0, 5, -3],
        [0.5, 3, 1, 1],
      ]),
    );
    expect([...total]).toEqual([0.5, 0, 5, 0]);
  });

  test('refuses a negative weight at the reward', () => {
    expect(refused(() => of('product', {}, [1, -1]))).toMatchObject({
      kind: 'invalid-input',
      where: 'rewards.1.weight',
    });
  });
});

describe('gate', () => {
  test('lets the others count where it reaches the threshold, itself included in the total', () => {
    const values = [
      [1, 0, 0.5],
      [0.2, 0.9, 0.4],
      [1, 1, 1],
    ];
    expect(
      rounded(of('gate', { scorer: 'a', least: 0.5 }, [1, 2, -0.5]).compose(scored(values)).total),
    ).toEqual([0.9, 0, 0.8]);
    expect(rounded(of('gate', { scorer: 'a', least: 0.5 }, [0, 2, 1]).compose(scored(values)).total)).toEqual(
      [1.4, 0, 1.8],
    );
  });

  test('refuses an unknown scorer with the path, and names those that there are', () => {
    expect(refused(() => of('gate', { scorer: 'style' }))).toMatchObject({
      where: 'composer.params.scorer',
      hint: expect.stringContaining('a, b'),
    });
  });
});

test('min is the least weighted value, max the greatest', () => {
  const values = [
    [1, 0.2],
    [0.5, 0.9],
  ];
  expect([...of('min', {}, [1, 2]).compose(scored(values)).total]).toEqual([1, 0.2]);
  expect([...of('max', {}, [1, 2]).compose(scored(values)).total]).toEqual([1, 1.8]);
});

describe('per-component', () => {
  // three answers; a: 0, 1, 2 and b: 100, 300, 200: each has the group deviation 1 or 100
  const values = [
    [0, 1, 2, 7],
    [100, 300, 200, 7],
  ];
  const groups = [[0, 1, 2], [3]];

  test('adds standardized components, so a scale of 100 counts no more than one of 1', () => {
    const { total, credit } = of('per-component').compose(scored(values, { groups }));
    expect([...(credit ?? [])].map((x) => Math.round(x * 1e4) / 1e4)).toEqual([-2, 1, 1, 0]);
    expect([...total]).toEqual([100, 301, 202, 14]);
  });

  test('equals GRPO’s advantages of each component, weighted and added', () => {
    const ids = Float64Array.from([0, 0, 0, 1]);
    const ones = new Float64Array(4).fill(1);
    const own = values.map((column) => centered(Float64Array.from(column), ids, ones, 'sample'));
    const { credit } = of('per-component', {}, [2, 0.5]).compose(scored(values, { groups }));
    expect(rounded(credit ?? [])).toEqual(rounded(own[0].map((x, r) => 2 * x + 0.5 * own[1][r])));
  });

  test('without a divisor has the advantages of the weighted sum', () => {
    const made = of('per-component', { scale: 'none' }, [2, 0.5]).compose(scored(values, { groups }));
    const ids = Float64Array.from([0, 0, 0, 1]);
    const sum = centered(made.total, ids, new Float64Array(4).fill(1), 'none');
    expect(rounded(made.credit ?? [])).toEqual(rounded(sum));
  });
});

describe('stages', () => {
  const values = [
    [1, 0.4],
    [0.5, 1],
    [3, 3],
  ];
  test('by progress: even shares of the run, or the given ones; the total is always the whole sum', () => {
    const even = of('stages', {}, [1, 1, 1]);
    const credit = (progress: number) => [...(even.compose(scored(values, { progress })).credit ?? [])];
    expect([0, 0.34, 0.67].map(credit)).toEqual([
      [1, 0.4],
      [1.5, 1.4],
      [4.5, 4.4],
    ]);
    expect([...even.compose(scored(values, { progress: 0 })).total]).toEqual([4.5, 4.4]);
    const late = of('stages', { at: [0.9, 0.95] }, [1, 1, 1]);
    expect([...(late.compose(scored(values, { progress: 0.89 })).credit ?? [])]).toEqual([1, 0.4]);
  });

  test('by answer: the next value counts once the earlier ones reach their bounds', () => {
    const made = of('stages', { by: 'answer', at: [0.5, 0.8] }, [1, 1, 1]).compose(scored(values));
    expect([...made.total]).toEqual([1.5, 0.4]);
    expect(made.credit).toBeUndefined();
  });

  test('by mean: the running mean of the newest scorer opens the next stage, from the next batch on', () => {
    const live = of('stages', { by: 'mean', at: [0.5], smoothing: 0.5 });
    const step = (a: number) => live.compose(scored([[a], [1]])).recorded?.stage;
    // means: 0, then ½·0 + ½·0.8 = 0.4, then ½·0.4 + ½·0.8 = 0.6 ≥ ½
    expect([0, 0.8, 0.8, 0].map(step)).toEqual([1, 1, 1, 2]);
  });

  test('refuse bounds of another number than there are between them, or shares that decrease', () => {
    expect(refused(() => of('stages', { at: [0.5, 0.6] }))).toMatchObject({ where: 'composer.params.at' });
    expect(refused(() => of('stages', { at: [0.6, 0.5] }, [1, 1, 1]))).toMatchObject({
      where: 'composer.params.at.1',
    });
    expect(refused(() => of('stages', { at: [1.5] }))).toMatchObject({ where: 'composer.params.at.0' });
  });
});

describe('constrained', () => {
  const live = () =>
    of('constrained', { constraints: [{ scorer: 'b', least: 0.5 }], rate: 2, most: 1.2, start: 0.5 }, [1, 1]);

  test('learns from the Lagrangian; the multiplier rises below the bound and falls above it', () => {
    const one = live();
    const low = scored([
      [1, 2],
      [0.25, 0.25],
    ]);
    // λ = ½: 1 + ½ · (¼ − ½) = 0.875; then λ = ½ + 2 · ¼ = 1, then 1.5, bounded by 1.2
    const first = one.compose(low);
    expect([...first.total]).toEqual([1, 2]);
    expect([...(first.credit ?? [])]).toEqual([0.875, 1.875]);
    const multiplier = () => one.compose(low).recorded?.['b/multiplier'];
    expect([multiplier(), multiplier()]).toEqual([1, 1.2]);
    const high = scored([
      [1, 1],
      [1, 1],
    ]);
    const falling = [1, 2, 3].map(() => one.compose(high).recorded?.['b/multiplier']);
    expect(rounded(falling.map(Number))).toEqual([1.2, 0.2, 0]);
  });

  test('settles at the least weight with which the constraint holds', () => {
    // a bandit of two arms: a pays 1 on the first, b pays 1 on the second, and b's mean must reach 0.3. The
    // softmax policy plays arm 2 with σ(4(λ − 1)); at the saddle point that is 0.3
    const one = of('constrained', { constraints: [{ scorer: 'b', least: 0.3 }], rate: 0.1 });
    let multiplier = 0;
    for (let step = 0; step < 2000; step++) {
      const share = 1 / (1 + Math.exp(-4 * (multiplier - 1)));
      const rows = 1000;
      const second = Math.round(share * rows);
      const b = Array.from({ length: rows }, (_, r) => Number(r < second));
      one.compose(scored([b.map((x) => 1 - x), b]));
      [multiplier] = (one.state?.() as { multipliers: number[] }).multipliers;
    }
    expect(multiplier).toBeCloseTo(1 + Math.log(0.3 / 0.7) / 4, 2);
  });

  test('refuses a scorer that is unknown or constrained already', () => {
    const constraints = (...names: string[]) => ({ constraints: names.map((scorer) => ({ scorer })) });
    expect(refused(() => of('constrained', constraints('b', 'x')))).toMatchObject({
      where: 'composer.params.constraints.1.scorer',
    });
    expect(refused(() => of('constrained', constraints('b', 'b')))).toMatchObject({
      where: 'composer.params.constraints.1.scorer',
    });
  });
});

describe('Pareto fronts', () => {
  test('Tchebycheff prefers the middle of a concave front, which no weighted sum does', () => {
    const front = [
      [1, 0.4, 0],
      [0, 0.4, 1],
    ];
    const { total } = of('tchebycheff', { augment: 0 }).compose(scored(front));
    expect(rounded(total)).toEqual([-1, -0.6, -1]);
    for (const weight of [0.1, 0.5, 0.9])
      expect(weight * 0.4 + (1 - weight) * 0.4).toBeLessThan(Math.max(weight, 1 - weight));
    const nearer = of('tchebycheff', { ideal: [2, 1], augment: 0.5 }, [1, 3]).compose(scored(front));
    // distances 1 and 3; 1.6 and 1.8; 2 and 0
    expect(rounded(nearer.total)).toEqual([-5, -3.5, -3]);
  });

  test('refuses ideal values of another number, and negative weights', () => {
    expect(refused(() => of('tchebycheff', { ideal: [1] }))).toMatchObject({
      where: 'composer.params.ideal',
    });
    expect(refused(() => of('tchebycheff', {}, [1, -1]))).toMatchObject({ where: 'rewards.1.weight' });
  });

  test('the dominated volume is that of the union of boxes', () => {
    const origin = [0, 0];
    const points = [
      [1, 3],
      [2, 2],
      [3, 1],
      [1, 1],
    ];
    expect(dominatedVolume(points, origin)).toBe(6);
    expect(frontOf([...points, [2, 2]])).toEqual(points.slice(0, 3));
    expect(dominatedVolume([[-1, 5]], origin)).toBe(0);
    expect(dominatedVolume([], origin)).toBe(0);
    expect(dominatedVolume([[4], [2]], [1])).toBe(3);
    // three boxes 2 × 1 × 1 along each axis share the unit cube
    const long = [
      [2, 1, 1],
      [1, 2, 1],
      [1, 1, 2],
    ];
    expect(dominatedVolume(long, [0, 0, 0])).toBe(4);
  });

  test('the bonus is the share that a batch adds to the volume', () => {
    const live = of('hypervolume', { bonus: 2 });
    const credit = (a: number, b: number) => [...(live.compose(scored([[a], [b]])).credit ?? [])];
    expect(credit(1, 1)).toEqual([6]); // all of the volume is new: × 3
    expect(credit(0.5, 1)).toEqual([1.5]); // dominated
    expect(rounded(credit(2, 0.5))).toEqual([rounded([2.5 * (1 + (2 * 0.5) / 1.5)])[0]]);
    expect(refused(() => of('hypervolume', { reference: [0] }))).toMatchObject({
      where: 'composer.params.reference',
    });
    expect(refused(() => of('hypervolume', {}, [1, 1, 1, 1, 1, 1].concat(1)))).toMatchObject({
      where: 'composer.params',
    });
  });
});

test('a composer without a counting reward, and an unknown one, are refused', () => {
  expect(refused(() => of('product', {}, [0, 0]))).toMatchObject({ where: 'composer.id' });
  expect(refused(() => of('sum'))).toMatchObject({
    where: 'composer.id',
    hint: expect.stringContaining('weighted sum'),
  });
});

test('totals of stored values: by the weighted sum or a composer; none if a value is missing', () => {
  const rewards = [
    { id: 'verifier', weight: 1, params: {} },
    { id: 'length', weight: 0.5, params: {} },
  ];
  const batch = (scores: { verifier: number; length?: number }[]) => ({
    scores: scores as { [scorer: string]: number }[],
    groups: scores.map(() => 'g'),
    progress: 0,
  });
  const batches = [batch([{ verifier: 1, length: 4 }]), batch([{ verifier: 0, length: 2 }])];
  expect(storedTotals({ rewards }, batches)).toEqual({ total: [3, 1], credit: [3, 1] });
  const gate = { id: 'gate', params: {} };
  expect(storedTotals({ rewards, composer: gate }, batches)).toEqual({ total: [3, 0], credit: [3, 0] });
  expect(storedTotals({ rewards }, [batch([{ verifier: 1 }])])).toBeNull();
  expect(storedTotals({ rewards: [] }, batches)).toBeNull();
});
