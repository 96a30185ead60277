import { describe, expect, test } from 'vitest';
import { ensembleOf } from '../../../engine/evaluate/pairs/index.ts';
import { caught } from '../../support/errors.ts';

const keys = (n: number): string[] => Array.from({ length: n }, (_none, i) => `p${i}`);

describe('an ensemble of judges', () => {
  test('divides the margins of each judge by the root of their mean square, whose scales then count alike', () => {
    const one = [3, -4, 0, 5];
    const found = ensembleOf([one, one.map((margin) => 1000 * margin)], keys(4));
    const root = Math.sqrt((9 + 16 + 25) / 4);
    expect(found.judges.map(({ deviation }) => deviation)).toEqual([
      expect.closeTo(root, 12),
      expect.closeTo(1000 * root, 9),
    ]);
    one.forEach((margin, at) => expect(found.margin[at]).toBeCloseTo(margin / root, 12));
    found.spread.forEach((spread) => expect(spread).toBeCloseTo(0, 12));
    expect([...found.dissent]).toEqual([0, 0, 0.5, 0]);
    expect(found.ensemble.accuracy).toBe(2.5 / 4);
  });

  test('has the standard deviation over judges, n − 1, and the share against the majority, by pair', () => {
    // every judge has a mean square of 1, so margins stay as they are
    const found = ensembleOf(
      [
        [1, 1, -1],
        [1, -1, 1],
        [1, -1, -1],
      ],
      keys(3),
    );
    expect(found.spread[0]).toBe(0);
    // 1, −1, −1: mean −1/3, squares 16/9 + 2 · 4/9
    expect(found.spread[1]).toBeCloseTo(Math.sqrt(24 / 9 / 2), 12);
    expect([...found.dissent].map((share) => Math.round(3 * share))).toEqual([0, 1, 1]);
    expect(found.ensemble.accuracy).toBeCloseTo(1 / 3, 12);
    expect(found.judges.map(({ accuracy }) => accuracy)).toEqual([
      expect.closeTo(2 / 3, 12),
      expect.closeTo(2 / 3, 12),
      expect.closeTo(1 / 3, 12),
    ]);
    // ranks of the spread 1, 2.5, 2.5 and of the errors 1, 2.5, 2.5
    expect(found.correlation).toBeCloseTo(1, 12);
  });

  test('is right where single judges err on different pairs: the majority decides', () => {
    const judges = [0, 1, 2].map((wrong) =>
      Array.from({ length: 30 }, (_none, i) => (i % 3 === wrong ? -1 : 1)),
    );
    const { ensemble, judges: rates, correlation } = ensembleOf(judges, keys(30));
    expect(rates.map(({ accuracy }) => accuracy)).toEqual([20 / 30, 20 / 30, 20 / 30]);
    expect(ensemble.accuracy).toBe(1);
    // all are right: Wilson's interval over the 30 prompts
    expect(ensemble.interval[0]).toBeCloseTo(30 / (30 + 1.959963984540054 ** 2), 12);
    expect(correlation).toBeNull();
  });

  test('gives the rank correlation of the spread with the error of the mean', () => {
    // wrong where the judges disagree most: spreads 0, 0.1·√2, 0.2·√2, 2·√2 before division
    const [a, b] = [
      [1, 1.1, 1.2, 1],
      [1, 0.9, 0.8, -3],
    ];
    const found = ensembleOf([a, b], keys(4));
    expect([...found.margin].map(Math.sign)).toEqual([1, 1, 1, -1]);
    const order = [...found.spread].map((_s, at) => at).sort((i, j) => found.spread[i] - found.spread[j]);
    const rank = order.map((_o, at) => order.indexOf(at) + 1);
    const error = [2, 2, 2, 4];
    const center = (values: readonly number[]) =>
      values.map((v) => v - values.reduce((s, x) => s + x, 0) / 4);
    const [x, y] = [center(rank), center(error)];
    const dot = (p: readonly number[], q: readonly number[]) => p.reduce((s, v, i) => s + v * q[i], 0);
    expect(found.correlation).toBeCloseTo(dot(x, y) / Math.sqrt(dot(x, x) * dot(y, y)), 12);
  });

  test('of a judge without margins, of one pair and of one judge is defined; without pairs it is refused', () => {
    const flat = ensembleOf(
      [
        [0, 0],
        [1, -1],
      ],
      keys(2),
    );
    expect(flat.judges[0]).toMatchObject({ deviation: 0, accuracy: 0.5 });
    expect([...flat.margin]).toEqual([0.5, -0.5]);
    const single = ensembleOf([[2], [-1]], keys(1));
    expect(single).toMatchObject({ correlation: null, ensemble: { accuracy: 0.5 } });
    expect([...single.dissent]).toEqual([0.5]);
    expect([...ensembleOf([[2, 1]], keys(2)).spread]).toEqual([0, 0]);
    expect(caught(() => ensembleOf([[], []], [])).kind).toBe('invalid-input');
  });
});
