/** Temperature, slices and corrections for many, against SciPy, statsmodels and closed forms. */
import { holm } from '../../../engine/evaluate/index.ts';
import { describe, expect, test } from 'vitest';
import {
  accuracyBySlice,
  crossFittedTemperature,
  effectivePairs,
  fitTemperature,
  normalQuantile,
  simultaneousWilson,
} from '../../../engine/evaluate/pairs/index.ts';
import { wilson } from '../../../engine/evaluate/index.ts';
import { stream } from '../../../engine/random/random.ts';
import { caught } from '../../support/errors.ts';
import oracle from '../../support/oracles/margins.json' with { type: 'json' };

const sigmoid = (x: number) => 1 / (1 + Math.exp(-x));
/** Margins that are too large by a factor: pairs are right with probability σ(margin / factor). */
const tooSure = (factor: number, n: number): number[] => {
  const draw = stream(3, 'margins');
  return Array.from({ length: n }, () => {
    const truth = 0.4 + 1.6 * draw.normal();
    return (draw.next() < sigmoid(truth) ? 1 : -1) * factor * truth;
  });
};
const numbered = (n: number): number[] => Array.from({ length: n }, (_none, at) => at);

describe('a temperature', () => {
  test.each(oracle.temperatures)('is that of SciPy for margins planted at $planted', (found) => {
    const { temperature, reason } = fitTemperature(found.odds);
    expect(reason).toBeNull();
    expect((temperature ?? 0) / found.temperature).toBeCloseTo(1, 6);
    expect(crossFittedTemperature(found.odds, numbered(300)).nll.before).toBeGreaterThanOrEqual(found.nll);
  });

  test.each([0.3, 1, 4])('of %s is recovered from 20,000 planted margins', (planted) => {
    expect((fitTemperature(tooSure(planted, 20_000)).temperature ?? 0) / planted).toBeCloseTo(1, 1);
  });

  test('follows from two margins in closed form: odds +m three times and −m once give T = m / log 3', () => {
    expect(fitTemperature([5, 5, 5, -5]).temperature).toBeCloseTo(5 / Math.log(3), 10);
    expect(fitTemperature([5e-9, 5e-9, 5e-9, -5e-9]).temperature).toBeCloseTo(5e-9 / Math.log(3), 18);
    expect((fitTemperature([5e9, 5e9, 5e9, -5e9]).temperature ?? 0) / 5e9).toBeCloseTo(1 / Math.log(3), 10);
  });

  test('is undefined, with the reason, where the likelihood has no minimum', () => {
    expect(fitTemperature([1, 2, 0])).toEqual({ temperature: null, reason: 'separable' });
    expect(fitTemperature([1, -1])).toEqual({ temperature: null, reason: 'no-better-than-chance' });
    expect(fitTemperature([0, 0])).toEqual({ temperature: null, reason: 'no-better-than-chance' });
    expect(fitTemperature([1])).toEqual({ temperature: null, reason: 'too-few' });
    expect(fitTemperature([])).toEqual({ temperature: null, reason: 'too-few' });
    expect(caught(() => fitTemperature([1, Number.NaN])).kind).toBe('numeric');
  });

  test('lowers ECE and likelihood of margins that are too sure, on pairs that it was not fitted on', () => {
    const fit = crossFittedTemperature(tooSure(4, 4000), numbered(4000));
    expect(fit.folds).toHaveLength(5);
    expect(fit.ece.before).toBeGreaterThan(0.1);
    expect(fit.ece.after ?? 1).toBeLessThan(0.03);
    expect(fit.nll.after ?? Infinity).toBeLessThan(fit.nll.before);
  });

  test('is judged on other prompts: copies of a pair stay in one fold', () => {
    // of two prompts each is judged by the other, whose temperature does not exist
    const fit = crossFittedTemperature([1, 1, 1, -1, 2, 2, 2], [0, 0, 0, 0, 1, 1, 1]);
    expect(fit.temperature).not.toBeNull();
    expect(fit.folds.filter((each) => each === null)).toHaveLength(1);
    expect(fit.ece.after).toBeNull();
    expect(crossFittedTemperature([], [])).toMatchObject({
      pairs: 0,
      folds: [],
      ece: { before: 0, after: null },
    });
  });
});

describe('corrections for many', () => {
  test.each(oracle.quantiles)('the normal quantile of %s is %s', (p, z) => {
    expect(normalQuantile(p)).toBeCloseTo(z, 8);
  });
  test('the normal quantile of 0 and 1 is refused', () => {
    for (const p of [0, 1, -1, Number.NaN])
      expect(caught(() => normalQuantile(p)).kind).toBe('invalid-input');
  });
  test('Holm’s p-values are those of statsmodels', () => {
    holm(oracle.holm.ps).forEach((p, at) => expect(p).toBeCloseTo(oracle.holm.corrected[at], 12));
    expect(holm([])).toEqual([]);
    expect(caught(() => holm([Number.NaN])).kind).toBe('invalid-input');
  });
  test.each(oracle.wilson)(
    'Wilson’s interval of $successes of $n among $family is that of statsmodels',
    ({ successes, n, family, interval }) => {
      simultaneousWilson(successes, n, family).forEach((end, at) => expect(end).toBeCloseTo(interval[at], 8));
    },
  );
  test('an interval that holds for many is wider, and that of one is Wilson’s', () => {
    const [alone, many] = [simultaneousWilson(30, 50, 1), simultaneousWilson(30, 50, 20)];
    wilson(30, 50).forEach((end, at) => expect(alone[at]).toBeCloseTo(end, 8));
    expect(many[0]).toBeLessThan(alone[0]);
    expect(many[1]).toBeGreaterThan(alone[1]);
  });
});

describe('the effective number of pairs', () => {
  const clusters = (count: number, n: number, sumOf: (at: number) => number) =>
    Array.from({ length: count }, (_none, at) => ({ n, sum: sumOf(at) }));
  test('is their number where every prompt has one', () => {
    expect(effectivePairs(clusters(40, 1, (at) => at % 2)).effective).toBeCloseTo(40, 10);
  });
  test('is the number of prompts where the pairs of a prompt are copies', () => {
    expect(effectivePairs(clusters(40, 5, (at) => 5 * (at % 2))).effective).toBeCloseTo(40, 10);
    expect(effectivePairs(clusters(40, 5, () => 5)).effective).toBeCloseTo(40, 10);
    expect(effectivePairs(clusters(40, 5, () => 0)).effective).toBeCloseTo(40, 10);
  });
  test('is never more than their number, and 0 without pairs', () => {
    expect(effectivePairs(clusters(40, 2, () => 1)).effective).toBe(80);
    expect(effectivePairs([])).toMatchObject({ n: 0, effective: 0 });
  });
});

describe('accuracy by slice', () => {
  const from = (hits: readonly number[], prompts: readonly number[] = numbered(hits.length)) => ({
    hits,
    prompts,
  });
  const repeated = (value: number, n: number): number[] => new Array<number>(n).fill(value);

  test('tests a slice against the other pairs as χ² of their table does', () => {
    const [[own, ownErrors], [rest, restErrors]] = oracle.table.counts;
    const hits = [
      ...repeated(1, own),
      ...repeated(0, ownErrors),
      ...repeated(1, rest),
      ...repeated(0, restErrors),
    ];
    const all = numbered(hits.length);
    const [slice] = accuracyBySlice(
      [{ name: 'x', positions: all.slice(0, own + ownErrors) }],
      from(hits),
      all,
    );
    expect(slice.p).toBeCloseTo(oracle.table.p, 10);
    expect(slice.accuracy).toBe(own / (own + ownErrors));
    const known = wilson(own, own + ownErrors);
    slice.interval?.forEach((end, at) => expect(end).toBeCloseTo(known[at], 10));
    expect(slice.simultaneous?.[0]).toBeCloseTo(known[0], 8);
  });

  test('flags a planted weak slice among twenty as lower, and no other', () => {
    const draw = stream(11, 'slices');
    const hits = Array.from({ length: 4000 }, (_none, at) =>
      Number(draw.next() < (at % 20 === 3 ? 0.5 : 0.8)),
    );
    const all = numbered(4000);
    const slices = Array.from({ length: 20 }, (_none, k) => ({
      name: `s${k}`,
      positions: all.filter((at) => at % 20 === k),
    }));
    const found = accuracyBySlice(slices, from(hits), all);
    expect(found.filter(({ flag }) => flag === 'lower').map(({ name }) => name)).toEqual(['s3']);
  });

  test('flags a slice of the same kind on at most 5 % of data sets without any difference', () => {
    let flagged = 0;
    const all = numbered(600);
    const slices = Array.from({ length: 6 }, (_none, k) => ({
      name: `s${k}`,
      positions: all.filter((at) => at % 6 === k),
    }));
    for (let set = 0; set < 200; set++) {
      const draw = stream(set, 'equal slices');
      const hits = all.map(() => Number(draw.next() < 0.7));
      if (accuracyBySlice(slices, from(hits), all).some(({ flag }) => flag !== null)) flagged++;
    }
    expect(flagged / 200).toBeLessThan(0.09);
  });

  test('calls a slice too small, without widening the others', () => {
    const hits = numbered(100).map((at) => at % 2);
    const all = numbered(100);
    const large = { name: 'large', positions: all.slice(0, 60) };
    const small = { name: 'small', positions: all.slice(60, 69) };
    const [alone] = accuracyBySlice([large], from(hits), all);
    const [with2, tiny] = accuracyBySlice([large, small], from(hits), all);
    expect(with2).toEqual(alone);
    expect(tiny).toMatchObject({ flag: 'too-small', interval: null, p: null, n: 9 });
    const copies = accuracyBySlice([{ name: 'copies', positions: all }], from(hits, repeated(0, 100)), all);
    expect(copies[0].flag).toBe('too-small');
    expect(accuracyBySlice([], from([]), [])).toEqual([]);
  });

  test('does not test a slice of all pairs', () => {
    const [all] = accuracyBySlice(
      [{ name: 'all', positions: numbered(50) }],
      from(repeated(1, 50)),
      numbered(50),
    );
    expect(all).toMatchObject({ p: null, flag: null, accuracy: 1 });
    expect(all.interval?.[1]).toBeCloseTo(1, 12);
  });
});
