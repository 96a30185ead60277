import { readFileSync } from 'node:fs';
import { describe, expect, test } from 'vitest';
import {
  confidentLearning,
  contradictoryMarks,
  exactDuplicates,
  lengthHistogram,
  pairFindings,
  verdictBaselines,
  type Pruning,
} from '../../../../engine/data/index.ts';
import { wilson } from '../../../../engine/evaluate/index.ts';
import { stream } from '../../../../engine/random/random.ts';
import { caught } from '../../../support/errors.ts';

describe('answers', () => {
  const answer = (id: string, text: string, correct: boolean | null, prompt = 'p') => ({
    id,
    prompt,
    answer: text,
    correct,
  });
  const rows = [
    answer('1', 'four', true),
    answer('2', ' four\r\n', false),
    answer('3', 'five', false),
    answer('4', 'four', true, 'q'),
    answer('5', 'five', null),
  ];
  test('are duplicates if prompt and answer are equal after normalisation', () => {
    expect(exactDuplicates(rows)).toEqual([
      ['1', '2'],
      ['3', '5'],
    ]);
  });
  test('are contradictory if one is marked right and an equal one wrong', () => {
    expect(contradictoryMarks(rows)).toEqual([['1', '2']]);
  });
});

describe('pairs', () => {
  const pair = (id: string, a: string, b: string, verdict: string | null, prompt = 'p') => ({
    id,
    prompt,
    a,
    b,
    verdict,
  });
  test('with equal answers, repeated ones, swapped ones, and opposite verdicts are told apart', () => {
    expect(
      pairFindings([
        pair('1', 'x', 'y', 'a'),
        pair('2', 'y', 'x', 'b'),
        pair('3', 'x ', 'x', 'a'),
        pair('4', 'x', 'y', 'b', 'q'),
        pair('5', 'x', 'y', 'a', 'q'),
        pair('6', 'x', 'z', 'a'),
        pair('7', 'm', 'n', 'tie'),
        pair('8', 'm', 'n', 'a'),
      ]),
    ).toEqual({
      identicalAnswers: ['3'],
      repeated: [
        { pairs: ['1', '2'], swapped: true },
        { pairs: ['4', '5'], swapped: false },
        { pairs: ['7', '8'], swapped: false },
      ],
      contradictory: [['4', '5']],
    });
  });
  test('have baselines of the first and of the longer answer, with the pairs that contradict them', () => {
    const { firstWins, longestWins } = verdictBaselines([
      pair('1', 'long', 'x', 'a', 'p1'),
      pair('2', 'x', 'long', 'b', 'p2'),
      pair('3', 'long', 'x', 'a', 'p3'),
      pair('4', 'x', 'y', 'b', 'p4'),
      pair('5', 'x', 'long', 'tie', 'p5'),
      pair('6', 'x', 'long', null, 'p6'),
    ]);
    expect(firstWins).toMatchObject({ rate: 0.5, n: 4, against: ['2', '4'] });
    expect(firstWins.interval[0]).toBeLessThan(0.5);
    expect(firstWins.interval[1]).toBeGreaterThan(0.5);
    expect(longestWins).toEqual({ rate: 1, n: 3, against: [], interval: wilson(3, 3) });
    expect(verdictBaselines([]).firstWins).toEqual({ rate: null, n: 0, against: [], interval: [0, 1] });
  });
});

test('lengths by a given counter are in bins with their rows', () => {
  const rows = ['a', 'a b', 'a b c', 'a b c d e'].map((text, at) => ({ id: `${at}`, text }));
  const words = (text: string) => text.split(' ').length;
  expect(lengthHistogram(rows, words, 2)).toEqual([
    { from: 1, to: 3, rows: ['0', '1'] },
    { from: 3, to: 5, rows: ['2', '3'] },
  ]);
  expect(lengthHistogram([], words, 2).flatMap((bin) => bin.rows)).toEqual([]);
});

describe('confident learning', () => {
  const numbers = JSON.parse(
    readFileSync(new URL('../../../support/oracles/wrong-labels.json', import.meta.url), 'utf8'),
  ) as {
    readonly labels: number[];
    readonly probabilities: number[];
    readonly flipped: number[];
    readonly confidentJoint: number[][];
    readonly joint: number[][];
    readonly found: Readonly<Record<Pruning, number[]>>;
  };
  const data = { ...numbers, ids: numbers.labels.map((_, at) => `${at}`), classes: 3 };

  test('has the confident joint of cleanlab', () => {
    const { confidentJoint, joint } = confidentLearning(data);
    expect(confidentJoint).toEqual(numbers.confidentJoint);
    // cleanlab rounds the calibrated counts to whole rows
    joint.forEach((row, i) =>
      row.forEach((q, j) => expect(Math.abs(q - numbers.joint[i][j])).toBeLessThan(0.002)),
    );
  });
  test.each(['class', 'rate', 'both'] as const)('pruned by %s lists what cleanlab lists', (pruning) => {
    const { wrong } = confidentLearning(data, pruning);
    const ours = new Set(wrong.map(({ id }) => Number(id)));
    const theirs = numbers.found[pruning];
    const both = theirs.filter((row) => ours.has(row)).length;
    // cleanlab rounds the counts of a cell differently
    expect(both / Math.max(ours.size, theirs.length)).toBeGreaterThan(0.9);
  });
  test('finds planted flips of pairs, likeliest first, and nothing in clean labels', () => {
    const draw = stream(4, 'flips');
    const n = 1000;
    const margins = Array.from({ length: n }, () => 2.5 * draw.normal());
    const truth = margins.map((margin) => Number(draw.next() < 1 / (1 + Math.exp(-2 * margin))));
    const probabilities = margins.flatMap((margin) => {
      const p = 1 / (1 + Math.exp(-2 * margin));
      return [1 - p, p];
    });
    const flipped = new Set(Array.from({ length: n }, (_, i) => i).filter(() => draw.next() < 0.08));
    const ids = truth.map((_, i) => `${i}`);
    const labels = truth.map((label, i) => (flipped.has(i) ? 1 - label : label));
    const { wrong, noise } = confidentLearning({ ids, labels, probabilities, classes: 2 });
    const top = wrong.slice(0, 40).filter(({ id }) => flipped.has(Number(id))).length;
    expect(top).toBeGreaterThanOrEqual(38);
    expect(Math.abs(noise - 0.1)).toBeLessThan(0.06);
    expect(wrong.every(({ given, suggested, margin }) => suggested === 1 - given && margin < 0)).toBe(true);
    const certain = truth.flatMap((label) => (label === 1 ? [0.02, 0.98] : [0.98, 0.02]));
    expect(confidentLearning({ ids, labels: truth, probabilities: certain, classes: 2 }).wrong).toEqual([]);
  });
  test('takes no rows, and a class without rows', () => {
    expect(confidentLearning({ ids: [], labels: [], probabilities: [], classes: 2 }).wrong).toEqual([]);
    const { joint } = confidentLearning({ ids: ['1'], labels: [0], probabilities: [0.9, 0.1], classes: 2 });
    expect(joint).toEqual([
      [1, 0],
      [0, 0],
    ]);
  });
  test('refuses probabilities and labels that are none', () => {
    const one = { ids: ['r'], labels: [0], probabilities: [0.5, 0.5], classes: 2 };
    expect(caught(() => confidentLearning({ ...one, probabilities: [Number.NaN, 0.5] })).where).toBe(
      'probabilities',
    );
    expect(caught(() => confidentLearning({ ...one, probabilities: [1] })).where).toBe('probabilities');
    expect(caught(() => confidentLearning({ ...one, labels: [2] })).where).toBe('labels');
    expect(caught(() => confidentLearning({ ...one, classes: 1 })).where).toBe('classes');
  });
});
