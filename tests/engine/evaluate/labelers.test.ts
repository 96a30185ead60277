/** Measures of labelers against published tables and against other implementations (oracles/labelers.py). */
import { readFileSync } from 'node:fs';
import { describe, expect, test } from 'vitest';
import {
  agreementOver,
  cohenAgreement,
  cohenKappa,
  dawidSkene,
  driftOf,
  fleissAgreement,
  fleissKappa,
  goldAgreement,
  krippendorffAgreement,
  krippendorffAlpha,
  paceOf,
  positionBias,
  selfAgreement,
  wilson,
  type AlphaMetric,
  type GivenLabel,
  type KappaWeights,
} from '../../../engine/evaluate/index.ts';
import { stream } from '../../../engine/random/random.ts';
import { caught } from '../../support/errors.ts';

const oracle = <T>(name: string): T =>
  JSON.parse(readFileSync(new URL(`../../support/oracles/${name}`, import.meta.url), 'utf8')) as T;
const numbers = oracle<{
  readonly ratings: (number | null)[][];
  readonly alpha: Readonly<Record<AlphaMetric, number>>;
  readonly a: string[];
  readonly b: string[];
  readonly kappa: Readonly<Record<KappaWeights, number>>;
  readonly table: number[][];
  readonly fleiss: number;
  readonly dawidSkene: {
    readonly priors: number[];
    readonly confusion: number[][][];
    readonly posteriors: number[][];
    readonly logLikelihood: number;
  };
}>('labelers.json');
const metrics = ['nominal', 'ordinal', 'interval'] as const;

/** Ratings as the papers print them, one line a rater; a dot is a missing one. */
const printed = (...lines: string[]): (number | null)[][] =>
  lines.map((line) => line.split(' ').map((sign) => (sign === '.' ? null : Number(sign))));

describe('Krippendorff’s alpha', () => {
  test('of his example of 4 observers and 12 units (Krippendorff 2011, section C)', () => {
    const ratings = printed(
      '1 2 3 3 2 1 4 1 2 . . .',
      '1 2 3 3 2 2 4 1 2 5 . 3',
      '. 3 3 3 2 3 4 2 2 5 1 .',
      '1 2 3 3 2 4 4 1 2 5 1 .',
    );
    expect(krippendorffAlpha(ratings)).toBeCloseTo(0.743, 3);
    expect(krippendorffAlpha(ratings, 'ordinal')).toBeCloseTo(0.815, 3);
    expect(krippendorffAlpha(ratings, 'interval')).toBeCloseTo(0.849, 3);
  });
  test('of the example of 3 coders and 15 units that encyclopedias print', () => {
    const ratings = printed(
      '. . . . . 3 4 1 2 1 1 3 3 . 3',
      '1 . 2 1 3 3 4 3 . . . . . . .',
      '. . 2 1 3 4 4 . 2 1 1 3 3 . 4',
    );
    expect(krippendorffAlpha(ratings)).toBeCloseTo(0.691, 3);
    expect(krippendorffAlpha(ratings, 'interval')).toBeCloseTo(0.811, 3);
  });
  test.each(metrics)('%s, with missing ratings, as the package krippendorff computes it', (metric) => {
    expect(krippendorffAlpha(numbers.ratings, metric)).toBeCloseTo(numbers.alpha[metric], 12);
  });
  test('takes text as nominal values, and refuses other distances of it', () => {
    const names = numbers.ratings.map((row) =>
      row.map((value) => (value === null ? null : `grade ${value}`)),
    );
    expect(krippendorffAlpha(names)).toBeCloseTo(numbers.alpha.nominal, 12);
    expect(caught(() => krippendorffAlpha(names, 'ordinal')).kind).toBe('invalid-input');
  });
  test('has an interval around it, and neither where all ratings are one value', () => {
    const { value, interval, items } = krippendorffAgreement(numbers.ratings, 'ordinal');
    expect(items).toBeLessThanOrEqual(60);
    expect(interval?.[0]).toBeLessThan(value ?? 0);
    expect(interval?.[1]).toBeGreaterThan(value ?? 1);
    const same = printed('1 1 1', '1 1 1');
    expect(krippendorffAlpha(same)).toBeNaN();
    expect(krippendorffAgreement(same)).toEqual({ value: null, interval: null, items: 3 });
  });
});

describe('kappas', () => {
  test.each(['none', 'linear', 'quadratic'] as const)(
    'Cohen’s with weights %s, as scikit-learn',
    (weights) => {
      const categories = ['1', '2', '3', '4', '5'];
      expect(cohenKappa(numbers.a, numbers.b, { weights, categories })).toBeCloseTo(
        numbers.kappa[weights],
        12,
      );
    },
  );
  test('weights need the order of the categories, and all of them', () => {
    expect(caught(() => cohenKappa(['1'], ['2'], { weights: 'linear' })).kind).toBe('invalid-input');
    expect(caught(() => cohenKappa(['1'], ['2'], { categories: ['1'] })).where).toBe('categories');
  });
  test('Fleiss’, as statsmodels', () => {
    expect(fleissKappa(numbers.table)).toBeCloseTo(numbers.fleiss, 12);
  });
  test('Fleiss’ of 30 patients, 6 psychiatrists, 5 diagnoses is .430 (Fleiss 1971, table 1)', () => {
    const diagnoses =
      '00060 03003 01401 00006 03030 20400 00402 20310 20040 00006 10050 11040 03300 10050 02031 ' +
      '00501 30012 51000 02040 10203 00006 01050 02013 20040 10041 05010 40002 02040 10500 00006';
    const table = diagnoses.split(' ').map((row) => [...row].map(Number));
    expect(fleissKappa(table)).toBeCloseTo(0.43, 3);
  });
  test('have intervals that hold them, the same for the same seed', () => {
    const cohen = cohenAgreement(numbers.a, numbers.b);
    expect(cohen).toEqual(cohenAgreement(numbers.a, numbers.b));
    expect(cohen.value).toBeCloseTo(numbers.kappa.none, 12);
    expect(cohen.interval?.[0]).toBeLessThan(numbers.kappa.none);
    expect(cohen.interval?.[1]).toBeGreaterThan(numbers.kappa.none);
    const fleiss = fleissAgreement(numbers.table);
    expect(fleiss.interval?.[0]).toBeLessThan(numbers.fleiss);
    expect(fleiss.interval?.[1]).toBeGreaterThan(numbers.fleiss);
  });
  test('have no value for raters who always say one thing, and no interval if most samples have none', () => {
    expect(cohenAgreement(['a', 'a'], ['a', 'a'])).toEqual({ value: null, interval: null, items: 2 });
    expect(agreementOver(3, (picked) => (picked[0] === 0 && picked[1] === 1 ? 1 : Number.NaN))).toEqual({
      value: 1,
      interval: null,
      items: 3,
    });
  });
  test('the interval holds the true kappa in about 95 of 100 samples', () => {
    // two raters who each report a fair coin rightly with probability .9: kappa is (2 · .9 − 1)² = .64
    let held = 0;
    for (let trial = 0; trial < 100; trial++) {
      const draw = stream(trial, 'two raters');
      const truth = Array.from({ length: 150 }, () => draw.next() < 0.5);
      const rated = () => truth.map((yes) => (draw.next() < 0.9 === yes ? 'yes' : 'no'));
      const { interval } = cohenAgreement(rated(), rated(), { replicates: 300, seed: trial });
      held += Number(interval !== null && interval[0] <= 0.64 && interval[1] >= 0.64);
    }
    expect(held).toBeGreaterThanOrEqual(88);
  });
});

describe('Dawid–Skene', () => {
  const observers = ['first', 'first', 'first', 'second', 'third', 'fourth', 'fifth'];
  const given: GivenLabel[] = oracle<number[][]>('anaesthetists.json').flatMap((row, patient) =>
    row.map((label, at) => ({ item: `${patient + 1}`, labeler: observers[at], label: `${label}` })),
  );
  const labels = ['1', '2', '3', '4'];
  const fit = dawidSkene(given, { labels, tolerance: 1e-13, iterations: 20_000 });

  test('of their 45 patients gives their class shares and error rates (tables 2 and 3)', () => {
    const two = (x: number) => Number(x.toFixed(2));
    expect(fit.converged).toBe(true);
    expect(fit.priors.map(two)).toEqual([0.4, 0.42, 0.11, 0.07]);
    expect(fit.labelers[0].confusion.map((row) => row.map(two))).toEqual([
      [0.89, 0.11, 0, 0],
      [0.07, 0.88, 0.05, 0],
      [0, 0.34, 0.66, 0],
      [0, 0, 0.56, 0.44],
    ]);
  });
  test('is the maximum that an independent EM finds', () => {
    const { priors, confusion, posteriors, logLikelihood } = numbers.dawidSkene;
    const close = (ours: readonly number[], theirs: readonly number[]) =>
      ours.forEach((x, at) => expect(x).toBeCloseTo(theirs[at], 5));
    expect(fit.logLikelihood).toBeCloseTo(logLikelihood, 8);
    close(fit.priors, priors);
    fit.labelers.forEach(({ confusion: rows }, l) => rows.forEach((row, j) => close(row, confusion[l][j])));
    fit.items.forEach(({ posterior }, i) => close(posterior, posteriors[i]));
  });
  test('finds who is reliable, and the truth better than a majority, with most labels missing', () => {
    const draw = stream(3, 'crowd');
    const accuracy = [0.95, 0.9, 0.55, 0.55, 0.55, 0.2];
    const truth = Array.from({ length: 400 }, () => (draw.next() < 0.5 ? 'a' : 'b'));
    const votes = truth.flatMap((right, item) =>
      accuracy.flatMap((p, labeler) => {
        if (draw.next() < 0.3) return [];
        const label = draw.next() < p ? right : right === 'a' ? 'b' : 'a';
        return [{ item: `${item}`, labeler: `${labeler}`, label }];
      }),
    );
    const { labelers, items } = dawidSkene(votes, { smoothing: 0.01 });
    for (const { labeler, reliability } of labelers)
      expect(Math.abs(reliability - accuracy[Number(labeler)])).toBeLessThan(0.08);
    const right = items.filter(({ item, label }) => truth[Number(item)] === label).length;
    const majority = [...Map.groupBy(votes, ({ item }) => item)].filter(([item, own]) => {
      const forTruth = own.filter(({ label }) => label === truth[Number(item)]).length;
      return forTruth > own.length / 2;
    }).length;
    expect(right).toBeGreaterThan(majority);
    expect(right / items.length).toBeGreaterThan(0.88);
  });
  test('refuses a label outside the list', () => {
    expect(caught(() => dawidSkene(given, { labels: ['1'] })).where).toBe('labels');
  });
});

describe('measures of one labeler', () => {
  const decisions = [
    { item: 'p', label: 'a' },
    { item: 'q', label: 'b' },
    { item: 'p', label: 'a' },
    { item: 'q', label: 'a' },
    { item: 'p', label: 'b' },
  ];
  test('self-agreement compares each repeat with the first decision', () => {
    expect(selfAgreement(decisions)).toEqual({
      rate: 1 / 3,
      n: 3,
      interval: wilson(1, 3),
      against: ['q', 'p'],
    });
    expect(selfAgreement([])).toEqual({ rate: null, n: 0, interval: [0, 1], against: [] });
  });
  test('agreement with gold counts only items that have a gold label', () => {
    expect(goldAgreement(decisions, new Map([['p', 'a']]))).toMatchObject({ rate: 2 / 3, against: ['p'] });
  });
  test('position bias is seen in 90 lefts of 120, not in 65 of 120', () => {
    const sides = (left: number) =>
      Array.from({ length: 120 }, (_, i) => (i < left ? ('left' as const) : ('right' as const)));
    expect(positionBias(sides(90))).toMatchObject({ left: 0.75, n: 120, biased: true });
    expect(positionBias(sides(65)).biased).toBe(false);
    expect(positionBias([])).toEqual({ left: null, interval: [0, 1], n: 0, biased: false });
  });
  test('pace leaves out pauses between sittings', () => {
    const times = [0, 10, 20, 30, 1030, 1040, 1050].map((second) => second * 1000);
    expect(paceOf(times)).toEqual({
      median: 10,
      low: 10,
      high: 10,
      decisionsPerHour: 360,
      sittings: 2,
      seconds: 50,
    });
    expect(paceOf([5])).toBeNull();
    expect(caught(() => paceOf([5, 4])).kind).toBe('invalid-input');
  });
  test('drift is found where agreement falls, and not where it does not', () => {
    const draw = stream(1, 'drift');
    const falling = Array.from({ length: 400 }, (_, i) => Number(draw.next() < 0.95 - 0.001 * i));
    const steady = Array.from({ length: 400 }, () => Number(draw.next() < 0.8));
    const { drifts, per100, blocks } = driftOf(falling, 4);
    expect(drifts).toBe(true);
    expect(per100).toBeLessThan(-0.05);
    expect(blocks.map(({ from, to }) => [from, to])).toEqual([
      [0, 100],
      [100, 200],
      [200, 300],
      [300, 400],
    ]);
    expect(blocks[0].mean).toBeGreaterThan(blocks[3].mean);
    expect(driftOf(steady).drifts).toBe(false);
  });
});
