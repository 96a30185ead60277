/** Scores of suites against values computed by hand from their papers' definitions. */
import { firstWrongStep } from '../../../engine/common/first-wrong-step.ts';
import { describe, expect, it } from 'vitest';
import { measureAnswers, measureSteps, suiteItems, suiteKindOf } from '../../../engine/suites/index.ts';
import { stratifiedInterval, weightedInterval } from '../../../engine/suites/bootstrap.ts';
import { rewardBenchSections } from '../../../engine/suites/rewardbench.ts';
import { tiesScore } from '../../../engine/suites/ties.ts';
import { wilson } from '../../../engine/evaluate/index.ts';
import type { AnswersItem, StepsItem, SuiteRecord } from '../../../engine/suites/items.ts';
import type { SuiteKind } from '../../../engine/schema/suite.ts';
import { caught } from '../../support/errors.ts';

const records = (...values: Record<string, unknown>[]): SuiteRecord[] =>
  values.map((value, at) => ({ place: `line ${at + 1}`, value }));
const pair = (subset: string, more = {}) => ({
  prompt: 'p',
  chosen: 'c',
  rejected: 'r',
  subset,
  id: 7,
  ...more,
});
const items = (kind: SuiteKind, ...subsets: string[]): AnswersItem[] =>
  subsets.map((subset, at) => ({
    id: `${kind}-${at}`,
    subset,
    prompt: `p${at}`,
    answers: ['c', 'r'],
    correct: 1,
  }));

describe('items of suites', () => {
  it.each([
    ['rewardbench', pair('alpacaeval-easy')],
    ['gold', pair('mine')],
    ['rewardbench-2', { prompt: 'p', chosen: ['c'], rejected: ['r', 's', 't'], subset: 'Math', id: '1' }],
    [
      'processbench',
      { id: 'gsm8k-0', problem: 'p', steps: ['a', 'b'], label: -1, final_answer_correct: true },
    ],
  ])('of %s are recognised by their columns', (kind, value) => {
    const [record] = records(value);
    expect(suiteKindOf(record)).toBe(kind);
    expect(suiteItems([record], {})).toMatchObject({ kind, items: [{ prompt: 'p' }] });
  });

  it.each<[string, Record<string, unknown>, SuiteKind | undefined, string]>([
    ['no rejected answer', { prompt: 'p', chosen: 'c' }, undefined, 'rejected'],
    ['no subset', { prompt: 'p', chosen: 'c', rejected: 'r' }, 'rewardbench', 'subset'],
    ['a number as prompt', pair('x', { prompt: 5 }), 'gold', 'prompt'],
    ['text where a list is needed', pair('Math'), 'rewardbench-2', 'chosen'],
    [
      'a wrong number of right answers',
      { id: 'tied:1', prompt: 'p', chosen: ['c'], rejected: ['r'], subset: 'Ties', num_correct: 2 },
      'rewardbench-2',
      'num_correct',
    ],
    [
      'Ties without pairs of ids',
      { id: '1', prompt: 'p', chosen: ['c'], rejected: ['r'], subset: 'Ties' },
      'rewardbench-2',
      'id',
    ],
    ['a label beyond the steps', { id: 'a-1', problem: 'p', steps: ['s'], label: 1 }, undefined, 'label'],
  ])('with %s are refused by the name of the column', (_what, value, kind, column) => {
    const error = caught(() => suiteItems(records(value), { kind }));
    expect(error).toMatchObject({ kind: 'invalid-input', where: column });
    expect(error.message).toContain('line 1');
  });

  it('divide a gold set by any column, and refuse one that no row has', () => {
    const own = records(pair('x', { topic: 'law' }), pair('x', { topic: null }));
    expect(suiteItems(own, { slice: 'topic' }).items.map(({ subset }) => subset)).toEqual(['law', '(none)']);
    expect(caught(() => suiteItems(own, { slice: 'nothing' })).where).toBe('nothing');
    expect(caught(() => suiteItems([], {})).kind).toBe('invalid-input');
  });
});

describe('RewardBench', () => {
  it('weighs subsets by their published numbers of pairs, and is the mean of its four sections', () => {
    const own = items(
      'rewardbench',
      'alpacaeval-easy',
      'mt-bench-med',
      'llmbar-natural',
      'donotanswer',
      'math-prm',
      'hep-python',
      'hep-python',
    );
    const found = measureAnswers('rewardbench', own, [
      [1, 0],
      [0, 1],
      [2, 1],
      [1, 1],
      [0, 1],
      [1, 0],
      [0, 1],
    ]);
    const of = Object.fromEntries(found.sections.map(({ name, score }) => [name, score]));
    expect(of.Chat).toBeCloseTo(100 / 140, 12);
    expect(of['Chat Hard']).toBe(1);
    // equal scores are not right
    expect(of.Safety).toBe(0);
    expect(of.Reasoning).toBeCloseTo((984 * 0 + 164 * 0.5) / (984 + 164), 12);
    expect(found.score).toBeCloseTo((100 / 140 + 1 + 0 + 82 / 1148) / 4, 12);
    const reasoning = Object.values(rewardBenchSections.Reasoning);
    expect(reasoning.reduce((sum, weight) => sum + weight, 0)).toBe(2 * 984);
  });

  it('has no score where a section is missing, and leaves out and counts answers that were not read', () => {
    const found = measureAnswers('rewardbench', items('rewardbench', 'donotanswer', 'donotanswer', 'other'), [
      [1, 0],
      [null, 0],
      [1, 0],
    ]);
    expect(found).toMatchObject({ score: null, interval: null, unread: 1 });
    expect(found.subsets).toMatchObject([
      { name: 'donotanswer', n: 1, score: 1, weight: 136 },
      { name: 'other', n: 1, score: 1, weight: 0 },
    ]);
    expect(found.results.map(({ credit }) => credit)).toEqual([1, null, 1]);
  });
});

describe('RewardBench 2', () => {
  const several = (id: string, subset: string, correct = 1): AnswersItem => ({
    id,
    subset,
    prompt: id,
    answers: [],
    correct,
  });

  it('credits the best of four, shared among the answers that are tied for it', () => {
    const own = ['a', 'b', 'c', 'd'].map((id) => several(id, 'Math'));
    const found = measureAnswers('rewardbench-2', own, [
      [4, 1, 2, 3],
      [3, 3, 1, 0],
      [2, 2, 2, 2],
      [1, 0, 0, 2],
    ]);
    expect(found.results.map(({ credit }) => credit)).toEqual([1, 1 / 2, 1 / 4, 0]);
    expect(found.sections).toMatchObject([{ name: 'Math', score: 1.75 / 4 }]);
    expect(found.score, 'five domains are missing').toBeNull();
  });

  it('scores ties by accuracy and by the gap to wrong answers against the spread of right ones', () => {
    const one = { id: 'ref:1', scores: [5, 1, 0], correct: 1 };
    const two = { id: 'tied:1', scores: [4, 3, 1, 0], correct: 2 };
    // gaps 4 and 2, spread 1: everything holds
    expect(tiesScore([one, two])).toBeCloseTo(0.3 + 0.3 + 0.2 + 0.2 + 0.01 * Math.tanh(1), 12);
    // the reference's gap of 0.5 is smaller than the spread
    const close = { id: 'ref:1', scores: [1.5, 1, 0], correct: 1 };
    expect(tiesScore([close, two])).toBeCloseTo(0.3 + 0.3 + 0.2 + 0.01 * Math.tanh(-0.5), 12);
    // no spread: the margin score has its limits
    const equal = { id: 'tied:1', scores: [3, 3, 1], correct: 2 };
    expect(tiesScore([one, equal])).toBeCloseTo(1 + 0.01, 12);
    const none = { id: 'tied:1', scores: [1, 1, 1], correct: 2 };
    expect(tiesScore([one, none])).toBeCloseTo(0.3, 12);
    // without its reference a tied prompt counts for accuracy alone
    expect(tiesScore([two])).toBeCloseTo(0.3, 12);
    expect(tiesScore([])).toBeNaN();
  });

  it('is the mean of its six domains', () => {
    const domains = ['Factuality', 'Precise IF', 'Math', 'Safety', 'Focus'];
    const own = [
      ...domains.map((name) => several(name, name)),
      several('ref:1', 'Ties'),
      several('tied:1', 'Ties', 2),
    ];
    const found = measureAnswers('rewardbench-2', own, [
      [1, 0, 0, 0],
      [1, 0, 0, 0],
      [0, 1, 0, 0],
      [1, 1, 0, 0],
      [1, 0, 0, 0],
      [5, 1, 0],
      [4, 3, 1, 0],
    ]);
    expect(found.score).toBeCloseTo((1 + 1 + 0 + 0.5 + 1 + 1 + 0.01 * Math.tanh(1)) / 6, 12);
    expect(found.interval).not.toBeNull();
    expect(found.results.at(-1)?.credit).toBeNull();
  });
});

describe('a gold set', () => {
  it('is the share of all pairs whose chosen answer scores higher, with Wilson’s interval if all are equal', () => {
    const own = items('gold', 'law', 'law', 'art');
    const found = measureAnswers('gold', own, [
      [1, 0],
      [0, 1],
      [1, 0],
    ]);
    expect(found.score).toBeCloseTo(2 / 3, 12);
    expect(found.subsets.map(({ name, score }) => [name, score])).toEqual([
      ['law', 0.5],
      ['art', 1],
    ]);
    const all = measureAnswers('gold', own, [
      [1, 0],
      [1, 0],
      [1, 0],
    ]);
    expect(all.interval).toEqual(wilson(3, 3));
  });
});

describe('intervals', () => {
  it('of weighted means agree with the normal approximation', () => {
    const half = (n: number) => Array.from({ length: n }, (_none, at) => at % 2);
    const strata = [
      { credits: half(400), weight: 3 },
      { credits: half(100), weight: 1 },
    ];
    const [low, high] = weightedInterval(strata) ?? [NaN, NaN];
    // var = Σ w² p (1 − p) ÷ n with weights that sum to 1
    const deviation = Math.sqrt((0.75 ** 2 * 0.25) / 400 + (0.25 ** 2 * 0.25) / 100);
    expect(low).toBeCloseTo(0.5 - 1.96 * deviation, 2);
    expect(high).toBeCloseTo(0.5 + 1.96 * deviation, 2);
    expect(weightedInterval([])).toBeNull();
    expect(stratifiedInterval([3, 0], () => 1)).toBeNull();
    expect(stratifiedInterval([3], () => NaN)).toBeNull();
  });
});

describe('ProcessBench', () => {
  const step = (id: string, label: number, steps = 3): StepsItem => ({
    id,
    subset: 'gsm8k',
    prompt: 'p',
    steps: Array<string>(steps).fill('s'),
    label,
  });
  const scored = (...scores: (number | null)[][]) =>
    scores.map((each) => ({ by: 'head' as const, scores: each }));

  it('is the harmonic mean of the accuracies on wrong and on right answers', () => {
    const own = [step('1', 1), step('2', 0), step('3', 2), step('4', -1), step('5', -1)];
    const found = measureSteps(
      own,
      scored([0.9, 0.2, 0.1], [0.9, 0.2, 0.9], [0.9, 0.9, 0.4], [0.9, 0.6, 0.5], [0.9, 0.4, 0.9]),
      0.5,
    );
    // first errors: 1 right, 1 instead of 0, 2 right; none right (0.5 is not below), 1 instead of none
    expect(found.steps).toMatchObject({
      threshold: 0.5,
      thresholdBy: 'chosen',
      erroneous: { n: 3, accuracy: 2 / 3 },
      correct: { n: 2, accuracy: 1 / 2 },
    });
    expect(found.score).toBeCloseTo((2 * (2 / 3) * (1 / 2)) / (2 / 3 + 1 / 2), 12);
    expect(found.results.map(({ credit }) => credit)).toEqual([1, 0, 1, 1, 0]);
  });

  it('fits its threshold on every other answer of each kind, and measures the others', () => {
    const own = Array.from({ length: 8 }, (_none, at) => step(`${at}`, at < 4 ? 1 : -1, 2));
    const found = measureSteps(
      own,
      scored(...own.map(({ label }) => (label < 0 ? [3.1, 3.2] : [3.3, 1.9]))),
      null,
    );
    expect(found.steps).toMatchObject({
      thresholdBy: 'fitted',
      fittedOn: 4,
      erroneous: { n: 2 },
      correct: { n: 2 },
    });
    expect(found.steps?.threshold).toBeCloseTo((1.9 + 3.1) / 2, 12);
    expect(found.score).toBe(1);
    expect(found.interval).toEqual(wilson(2, 2));
  });

  it('leaves out answers beyond the context, and has no F1 without both kinds', () => {
    const found = measureSteps([step('1', 1), step('2', -1)], scored([0.9, 0.1, null], [0.9, 0.9, 0.9]), 0.5);
    expect(found).toMatchObject({ unread: 1, score: null, interval: null });
    expect(found.steps).toMatchObject({
      erroneous: { n: 0, accuracy: null },
      correct: { n: 1, accuracy: 1 },
    });
  });

  it('averages the F1 of several subsets', () => {
    const own = [step('1', 0, 1), step('2', -1, 1), step('3', 0, 1), step('4', -1, 1)].map((item, at) => ({
      ...item,
      subset: at < 2 ? 'gsm8k' : 'math',
    }));
    const found = measureSteps(own, scored([0.1], [0.9], [0.9], [0.9]), 0.5);
    expect(found.subsets.map(({ name, score }) => [name, score])).toEqual([
      ['gsm8k', 1],
      ['math', 0],
    ]);
    expect(found.score).toBe(0.5);
  });
});

describe('the first wrong step', () => {
  it('is the first below the threshold, −1 without one, unknown if a step has no score', () => {
    expect(firstWrongStep([0.9, 0.5, 0.4, 0.1], 0.5)).toBe(2);
    expect(firstWrongStep([0.9, 0.5], 0.5)).toBe(-1);
    expect(firstWrongStep([0.1, null], 0.5)).toBeNull();
    expect(firstWrongStep([], 0.5)).toBe(-1);
  });
});
