import { describe, expect, test } from 'vitest';
import { stream } from '../../../engine/random/random.ts';
import {
  evaluatePolicy,
  inspectPairs,
  type ProblemOutcome,
  type ScoredPair,
} from '../../../engine/evaluate/index.ts';
import { PolicyEvaluation, RewardInspection } from '../../../engine/schema/evaluation.ts';
import { caught } from '../../support/errors.ts';

/**
 * 300 pairs; the right answer is preferred, otherwise the shorter one. The score is minus the length, so it
 * measures only length.
 */
const lengthBiased = (): ScoredPair[] => {
  const draw = stream(2, 'pairs');
  return Array.from({ length: 300 }, (_, i) => {
    const [a, b] = ['a', 'b'].map((name) => {
      const tokens = 10 + draw.int(20);
      return { text: `${name}${i}`, tokens, correct: draw.next() < 0.5, score: -0.2 * tokens + 1 };
    });
    const gap = Number(a.correct) - Number(b.correct) || b.tokens - a.tokens;
    return { promptId: `p${i % 100}`, a, b, verdict: gap > 0 ? 'a' : gap < 0 ? 'b' : 'tie' };
  });
};

describe('inspection of a reward model', () => {
  const found = inspectPairs(lengthBiased());

  test('follows the contract’s schema', () => {
    expect(RewardInspection.parse(found)).toEqual(found);
  });

  test('shows a length bias where there is one', () => {
    expect(found.lengthCorrelation).toBeCloseTo(-1, 10);
    expect(found.lengthFit.slope).toBeCloseTo(-0.2, 10);
    expect(found.lengthFit.intercept).toBeCloseTo(1, 10);
    const slice = (name: string) => found.slices.find((s) => s.name === name);
    expect(slice('equal in correctness')?.accuracy).toBe(1);
    expect(slice('shorter one preferred')?.accuracy).toBe(1);
    expect(slice('longer one preferred')?.accuracy).toBe(0);
    expect(Math.abs((slice('differ in correctness')?.accuracy ?? 0) - 0.5)).toBeLessThan(0.12);
    expect(found.accuracy).toBe(found.baselines.shortest);
    expect(found.baselines.longest).toBeCloseTo(1 - found.baselines.shortest, 12);
  });

  test('counts every decided pair once in the margins and every answer once in the scores', () => {
    const decided = lengthBiased().filter((pair) => pair.verdict !== 'tie').length;
    expect(found.pairs).toBe(decided);
    expect(found.margins.reduce((n, bin) => n + bin.n, 0)).toBe(decided);
    expect(found.scores.reduce((n, bin) => n + bin.correct + bin.wrong + bin.unmarked, 0)).toBe(600);
    expect(found.reliability.reduce((n, bin) => n + bin.n, 0)).toBe(decided);
  });

  test('measures calibration by the confidence of the preferred side, in ten bins of one half to one', () => {
    const sure = (score: number, i: number): ScoredPair => ({
      promptId: `p${i}`,
      a: { text: `a${i}`, score, tokens: 1, correct: null },
      b: { text: `b${i}`, score: 0, tokens: 1, correct: null },
      verdict: i % 4 === 0 ? 'b' : 'a',
    });
    // σ(ln 9) = .9, and 75 of 100 predictions are right
    const inspected = inspectPairs(Array.from({ length: 100 }, (_, i) => sure(Math.log(9), i)));
    expect(inspected.ece).toBeCloseTo(0.15, 10);
    expect(inspected.reliability).toHaveLength(1);
    expect(inspected.reliability[0].to - inspected.reliability[0].from).toBeCloseTo(0.05, 12);
    expect(inspectPairs([sure(-1, 0), sure(1, 1)]).reliability).toMatchObject([{ n: 2, accuracy: 1 }]);
  });

  test('converts the probabilities that answers are right into a preference between them', () => {
    // of .9 and .6, exactly one is right: the first with .9·.4 / (.9·.4 + .6·.1) = 6/7
    const pair = (a: number, b: number, i: number): ScoredPair => ({
      promptId: `p${i}`,
      a: { text: `a${i}`, score: a, tokens: 1, correct: null },
      b: { text: `b${i}`, score: b, tokens: 1, correct: null },
      verdict: i % 7 === 0 ? 'b' : 'a',
    });
    const inspected = inspectPairs(
      Array.from({ length: 70 }, (_, i) => pair(0.9, 0.6, i)),
      { probable: true },
    );
    expect(inspected.reliability).toMatchObject([{ n: 70, confidence: expect.closeTo(6 / 7, 10) as number }]);
    expect(inspected.ece).toBeCloseTo(0, 10);
    // probabilities that float32 rounds to 1 get the largest confidence that float32 can represent
    expect(inspectPairs([pair(1, 0, 1), pair(1, 1, 2)], { probable: true }).ece).toBeLessThan(1e-6);
  });

  test('does not depend on which answer is labelled a', () => {
    const swapped = lengthBiased().map(({ promptId, a, b, verdict }): ScoredPair => ({
      promptId,
      a: b,
      b: a,
      verdict: verdict === 'a' ? 'b' : verdict === 'b' ? 'a' : verdict,
    }));
    const other = inspectPairs(swapped);
    expect({ ...other, lengthFit: 0, lengthCorrelation: 0 }).toEqual({
      ...found,
      lengthFit: 0,
      lengthCorrelation: 0,
    });
  });

  test('counts equal scores as one half; no pairs give an empty but valid inspection', () => {
    const flat = inspectPairs(
      lengthBiased().map((pair) => ({ ...pair, a: { ...pair.a, score: 0 }, b: { ...pair.b, score: 0 } })),
    );
    expect(flat.accuracy).toBe(0.5);
    expect(flat.ece).toBe(0);
    expect(RewardInspection.parse(inspectPairs([]))).toMatchObject({ pairs: 0, slices: [] });
  });
});

describe('evaluation of a policy', () => {
  const answer = (correct: boolean, proxy: number | null = null) => ({
    correct,
    gold: Number(correct),
    proxy,
    tokens: correct ? 10 : 20,
    truncated: !correct,
    logRatio: correct ? 0.5 : -0.1,
  });
  const problems = (proxy: number | null): ProblemOutcome[] => [
    { promptId: 'x', greedyCorrect: true, answers: [true, true, false, false].map((c) => answer(c, proxy)) },
    {
      promptId: 'y',
      greedyCorrect: false,
      answers: [false, false, false, true].map((c) => answer(c, proxy)),
    },
  ];

  test('follows the contract’s schema', () => {
    const found = evaluatePolicy({ step: 7, problems: problems(2) });
    expect(PolicyEvaluation.parse(found)).toEqual(found);
  });

  test('two problems computed by hand', () => {
    const found = evaluatePolicy({ step: 7, problems: problems(null) });
    expect(found).toMatchObject({
      step: 7,
      problems: 2,
      samples: 4,
      passAt1: 0.375,
      greedy: 0.5,
      meanLength: 16.25,
      truncated: 0.625,
      gold: 0.375,
      proxy: null,
    });
    expect(found.passAtK.map(({ k }) => k)).toEqual([1, 2, 4]);
    [0.375, (5 / 6 + 0.5) / 2, 1].forEach((value, i) =>
      expect(found.passAtK[i].value).toBeCloseTo(value, 12),
    );
    expect(found.kl).toBeCloseTo((3 * 0.5 - 5 * 0.1) / 8, 12);
  });

  test('counts the different texts among right answers, if it knows the texts', () => {
    const told = problems(null).map((problem, p) => ({
      ...problem,
      answers: problem.answers.map((each, a) => ({ ...each, text: `${p === 0 ? a : 'same'}` })),
    }));
    const found = evaluatePolicy({ step: 7, problems: told });
    expect(found.distinctRight).toBe(1.5);
    expect(PolicyEvaluation.parse(found)).toEqual(found);
    const [first, second] = told;
    const again = evaluatePolicy({
      step: 7,
      problems: [second, { ...second, answers: [...first.answers].fill({ ...answer(true), text: 'one' }) }],
    });
    expect(again.distinctRight).toBe(1);
    expect(evaluatePolicy({ step: 7, problems: problems(null) })).not.toHaveProperty('distinctRight');
  });

  test('has no KL if the policy started from random weights', () => {
    const blind = problems(null).map((problem) => ({
      ...problem,
      answers: problem.answers.map((each) => ({ ...each, logRatio: null })),
    }));
    const found = evaluatePolicy({ step: 7, problems: blind });
    expect(found.kl).toBeNull();
    expect(PolicyEvaluation.parse(found)).toEqual(found);
  });

  test('gives pass@1 for each level if there are several', () => {
    const [hard, easy] = problems(null);
    const third = { ...easy, promptId: 'z', level: 2 };
    const found = evaluatePolicy({
      step: 7,
      problems: [{ ...hard, level: 4 }, { ...easy, level: 2 }, third],
    });
    expect(found.byLevel).toEqual([
      { level: 2, problems: 2, passAt1: 0.25 },
      { level: 4, problems: 1, passAt1: 0.5 },
    ]);
    expect(PolicyEvaluation.parse(found)).toEqual(found);
    expect(evaluatePolicy({ step: 7, problems: [third] })).not.toHaveProperty('byLevel');
    expect(evaluatePolicy({ step: 7, problems: problems(null) })).not.toHaveProperty('byLevel');
  });

  test('rejects an evaluation without answers or with uneven counts', () => {
    expect(caught(() => evaluatePolicy({ step: 0, problems: [] })).kind).toBe('invalid-input');
    const [first, second] = problems(null);
    expect(
      caught(() =>
        evaluatePolicy({ step: 0, problems: [first, { ...second, answers: second.answers.slice(1) }] }),
      ).message,
    ).toContain('y has 3');
  });
});
