import { readFileSync } from 'node:fs';
import { describe, expect, test } from 'vitest';
import {
  bestOfNKl,
  expectedMaximum,
  majorityVote,
  mean,
  passAtK,
} from '../../../../engine/evaluate/index.ts';
import { stream } from '../../../../engine/random/random.ts';
import { searchCurve } from '../../../../engine/rl/search/curve.ts';
import { readAnswer } from '../../../../engine/rl/search/read-answer.ts';
import type { SearchRule } from '../../../../engine/rl/search/rule.ts';
import { bordaVotes } from '../../../../engine/rl/search/rules/borda.ts';
import { searchRules } from '../../../../engine/rl/search/rules/index.ts';
import { keptPaths } from '../../../../engine/rl/search/rules/rpc.ts';
import { choose, MOST_SUBSETS, subsetsOf } from '../../../../engine/rl/search/subsets.ts';
import { textNumbers, type TriedProblem } from '../../../../engine/rl/search/tried.ts';
import { majorityChance, voteChance } from '../../../../engine/rl/search/votes.ts';
import { highChance, weibullFit, weibullMixture } from '../../../../engine/rl/search/weibull.ts';

/** A problem from answers; `right` is the right one. */
const problemOf = (
  answers: readonly (string | null)[],
  right: string,
  more: Partial<TriedProblem> = {},
): TriedProblem => ({
  promptId: 'p',
  answers,
  correct: answers.map((answer) => Number(answer === right)),
  texts: [...answers.keys()],
  tokens: answers.map(() => 4),
  logp: answers.map(() => -1),
  scores: {},
  ...more,
});
const ruleOf = (id: string): SearchRule => {
  const found = searchRules.find((rule) => rule.id === id);
  if (!found) throw new Error(`no rule ${id}`);
  return found;
};
/** A rule's accuracy over all subsets of n. */
const accuracy = (
  id: string,
  problem: TriedProblem,
  n: number,
  more: { scorer?: string; rankPower?: number; isSigned?: boolean } = {},
) =>
  ruleOf(id).accuracy({
    problem,
    n,
    scorer: '',
    isSigned: false,
    rankPower: 1,
    subsets: subsetsOf(problem.correct.length, n, { seed: 0, problem: 0 }),
    ...more,
  });

describe('the majority vote', () => {
  test.each([
    [3, 0.648],
    [5, 0.68256],
    [11, 0.7535],
    [21, 0.82562],
  ])('of %i independent votes that are right with .6 has the accuracy of the closed form', (n, value) => {
    // the mean over subsets of N answers is unbiased, so its mean over N binomial answers is the closed form
    const total = 24;
    let expected = 0;
    for (let right = 0; right <= total; right++) {
      const answers = Array.from({ length: total }, (_, at) => (at < right ? 'r' : 'w'));
      expected +=
        choose(total, right) *
        0.6 ** right *
        0.4 ** (total - right) *
        majorityChance(problemOf(answers, 'r'), n);
    }
    expect(expected).toBeCloseTo(value, 4);
    expect(expected).toBeCloseTo(majorityVote(n, 0.6), 10);
  });

  test('counted exactly equals the enumeration of all subsets, with ties and answers that cannot be read', () => {
    const random = stream(3, 'votes');
    for (let trial = 0; trial < 30; trial++) {
      const answers = Array.from({ length: 9 }, () => [null, 'a', 'b', 'c', 'd'][random.int(5)]);
      const problem = problemOf(answers, 'a');
      for (const n of [1, 2, 3, 8, 9]) {
        const subsets = subsetsOf(9, n, { seed: 0, problem: 0 });
        if (subsets.length !== choose(9, n)) continue;
        const equal = subsets.map((places) =>
          voteChance(
            problem,
            places,
            places.map(() => 1),
          ),
        );
        expect(majorityChance(problem, n)).toBeCloseTo(mean(equal), 12);
      }
    }
  });

  test('shares ties, and falls back to all texts if no answer can be read', () => {
    expect(majorityChance(problemOf(['r', 'w'], 'r'), 2)).toBe(0.5);
    expect(majorityChance(problemOf(['r', 'w', 'x', null], 'r'), 4)).toBeCloseTo(1 / 3, 12);
    expect(majorityChance(problemOf([null, null], 'r', { correct: [1, 0] }), 2)).toBe(0.5);
    expect(majorityChance(problemOf(['r'], 'r'), 1)).toBe(1);
  });
});

describe('best of n', () => {
  const answers = ['w', 'r', 'w', 'r', 'w'];
  test('by the oracle’s verdict is pass@n, and by a constant score the share of right answers', () => {
    const problem = problemOf(answers, 'r', { scores: { gold: [0, 1, 0, 1, 0], flat: [2, 2, 2, 2, 2] } });
    for (const n of [1, 2, 3, 5]) {
      expect(accuracy('best-of-n', problem, n, { scorer: 'gold' })).toBeCloseTo(passAtK(5, 2, n), 12);
      expect(accuracy('oracle', problem, n)).toBeCloseTo(passAtK(5, 2, n), 12);
      expect(accuracy('best-of-n', problem, n, { scorer: 'flat' })).toBeCloseTo(0.4, 12);
    }
  });

  test('equals the enumeration of subsets, equal scores sharing the pick', () => {
    const scores = [0.3, 0.9, 0.9, -1, 0.3, 2];
    const problem = problemOf(['r', 'r', 'w', 'r', 'w', 'w'], 'r', { scores: { s: scores } });
    for (const n of [1, 2, 3, 6]) {
      const picks = subsetsOf(6, n, { seed: 0, problem: 0 }).map((places) => {
        const most = Math.max(...places.map((at) => scores[at]));
        return mean(places.filter((at) => scores[at] === most).map((at) => problem.correct[at]));
      });
      expect(accuracy('best-of-n', problem, n, { scorer: 's' })).toBeCloseTo(mean(picks), 12);
    }
  });

  test('of normal scores reaches their expected maximum, and the curve reports its KL', async () => {
    // gold equal to the score: over many problems of 16 the mean pick of 4 is E[max of 4]
    const draws = Array.from({ length: 1200 }, (_, p) => {
      const random = stream(5, 'normal', p);
      return Array.from({ length: 16 }, () => {
        const [u, v] = [Math.max(random.next(), 1e-12), random.next()];
        return Math.sqrt(-2 * Math.log(u)) * Math.cos(2 * Math.PI * v);
      });
    });
    const picked = mean(
      draws.map((s) =>
        accuracy(
          'best-of-n',
          problemOf(
            s.map(() => 'r'),
            'r',
            { scores: { s }, correct: s },
          ),
          4,
          { scorer: 's' },
        ),
      ),
    );
    expect(picked).toBeCloseTo(expectedMaximum(4), 1);
    const { strategies } = await searchCurve([problemOf(answers, 'r', { scores: { s: [1, 2, 3, 4, 5] } })], {
      step: 0,
      seed: 0,
      rankPower: 1,
    });
    const best = strategies.find(({ id }) => id === 'best-of-n/s');
    expect(best?.points.map(({ n, kl }) => [n, kl])).toEqual([1, 2, 4, 5].map((n) => [n, bestOfNKl(n)]));
    expect(best?.points[1].kl).toBeCloseTo(0.1931, 4);
  });
});

describe('votes by a scorer', () => {
  const answers = ['r', 'w', 'w', 'r', null];
  test('weigh answers by their scores; negative scores by σ', () => {
    const scores = { s: [0.9, 0.2, 0.3, 0.1, 5] };
    // r: 1.0, w: 0.5; the text without an answer does not vote
    expect(accuracy('weighted-vote', problemOf(answers, 'r', { scores }), 5, { scorer: 's' })).toBe(1);
    const signed = problemOf(answers, 'r', { scores: { s: [-3, 2, -1, 0, 0] } });
    // σ: r .047 + .5, w .881 + .269
    expect(accuracy('weighted-vote', signed, 5, { scorer: 's', isSigned: true })).toBe(0);
  });

  test('with equal weights, or with power 0 of the rank, are the majority vote', () => {
    const problem = problemOf(['r', 'w', 'x', 'r', 'w', 'r', 'x'], 'r', {
      scores: { s: [1, 1, 1, 1, 1, 1, 1] },
    });
    for (const n of [1, 2, 4, 7]) {
      expect(accuracy('weighted-vote', problem, n, { scorer: 's' })).toBeCloseTo(
        majorityChance(problem, n),
        12,
      );
      expect(accuracy('borda', problem, n, { scorer: 's', rankPower: 0 })).toBeCloseTo(
        majorityChance(problem, n),
        12,
      );
    }
  });

  test('by rank give (n − rank + 1)^p, as by hand', () => {
    expect(bordaVotes([0.1, 0.7, 0.3, 0.9], 1)).toEqual([1, 3, 2, 4]);
    expect(bordaVotes([5, 5, 1], 2)).toEqual([6.25, 6.25, 1]);
    // certainties .1 .7 .3 .9 of w r r w: r 3 + 2, w 1 + 4: a tie; squares r 13, w 17
    const problem = problemOf(['w', 'r', 'r', 'w'], 'r', { scores: { s: [0.1, 0.7, 0.3, 0.9] } });
    expect(accuracy('borda', problem, 4, { scorer: 's' })).toBe(0.5);
    expect(accuracy('borda', problem, 4, { scorer: 's', rankPower: 2 })).toBe(0);
    expect(accuracy('borda', problem, 4, { scorer: 's', rankPower: 0.5 })).toBe(1);
  });
});

describe('RPC', () => {
  const { weighted, mixture } = JSON.parse(
    readFileSync(new URL('../../../support/oracles/weibull.json', import.meta.url), 'utf8'),
  ) as {
    weighted: { values: number[]; weights: number[]; shape: number; scale: number };
    mixture: {
      values: number[];
      low: { shape: number; scale: number };
      high: { shape: number; scale: number };
      share: number;
    };
  };

  test('fits weighted Weibull distributions like a general optimizer', () => {
    const { shape, scale } = weibullFit(weighted.values, weighted.weights);
    expect(shape).toBeCloseTo(weighted.shape, 4);
    expect(scale).toBeCloseTo(weighted.scale, 5);
  });

  test('fits a mixture whose verdicts agree with an optimizer’s', () => {
    const found = weibullMixture(mixture.values);
    if (!found) throw new Error('no mixture');
    expect(found.share).toBeCloseTo(mixture.share, 1);
    const differ = mixture.values.filter(
      (x) => highChance(found, x) >= 0.5 !== highChance(mixture, x) >= 0.5,
    );
    expect(differ.length).toBeLessThanOrEqual(mixture.values.length / 50);
  });

  test('drops the paths of the low component, and those below the mean if none can be fitted', () => {
    expect(keptPaths([0.5, 0.1, 0.6])).toEqual([0, 2]);
    expect(keptPaths([0.5])).toEqual([0]);
    expect(keptPaths([0.25, 0.25, 0.25, 0.25, 0.25])).toEqual([0, 1, 2, 3, 4]);
    const two = [0.001, 0.002, 0.0015, 0.003, 0.8, 0.85, 0.9, 0.95];
    expect(keptPaths(two)).toEqual([4, 5, 6, 7]);
    // a common factor changes nothing
    expect(keptPaths(two.map((x) => x * 1e-9))).toEqual([4, 5, 6, 7]);
  });

  test('counts each distinct path once, by its probability, as by hand', () => {
    // paths: r .5 (sampled twice), w .3 and w .3: consistency gives w .6 against r .5; pruning keeps r alone
    const answers = ['r', 'r', 'w', 'w'];
    const logp = [0.5, 0.5, 0.3, 0.3].map(Math.log);
    const problem = problemOf(answers, 'r', {
      logp,
      texts: textNumbers(['R', 'R', 'W', 'V']),
      tokens: [1, 1, 1, 1],
    });
    // the mean of .5 .3 .3 is .367
    expect(accuracy('rpc', problem, 4)).toBe(1);
    const close = problemOf(answers, 'r', {
      logp: [0.5, 0.5, 0.5, 0.5].map(Math.log),
      texts: textNumbers(['R', 'R', 'W', 'V']),
      tokens: [1, 1, 1, 1],
    });
    // the majority is tied, and two distinct paths lead to w
    expect(accuracy('majority', close, 4)).toBe(0.5);
    expect(accuracy('rpc', close, 4)).toBe(0);
    // per token, a path of −2 in four tokens is better than one of −1 in one
    const long = problemOf(['r', 'w'], 'r', { logp: [-2, -1], tokens: [4, 1] });
    expect([accuracy('rpc', long, 2), accuracy('rpc-per-token', long, 2)]).toEqual([0, 1]);
  });

  test('of texts without an answer shares the chance', () => {
    expect(accuracy('rpc', problemOf([null, null], 'r', { correct: [1, 0] }), 2)).toBe(0.5);
  });
});

describe('subsets', () => {
  test('are all of them while they are few, else seeded ones that depend on the problem alone', () => {
    expect(subsetsOf(4, 2, { seed: 1, problem: 0 })).toEqual([
      [0, 1],
      [0, 2],
      [0, 3],
      [1, 2],
      [1, 3],
      [2, 3],
    ]);
    const some = subsetsOf(32, 8, { seed: 1, problem: 4 });
    expect(some).toHaveLength(MOST_SUBSETS);
    expect(
      some.every((places) => new Set(places).size === 8 && places.every((at) => at >= 0 && at < 32)),
    ).toBe(true);
    expect(subsetsOf(32, 8, { seed: 1, problem: 4 })).toEqual(some);
    expect(subsetsOf(32, 8, { seed: 2, problem: 4 })).not.toEqual(some);
    expect(() => subsetsOf(3, 4, { seed: 0, problem: 0 })).toThrow('cannot see 4 of 3');
    expect(() => subsetsOf(3, 0, { seed: 0, problem: 0 })).toThrow('cannot see 0');
  });
});

describe('the curve', () => {
  const two = [
    problemOf(['r', 'w', 'r', 'r'], 'r', { promptId: 'a', tokens: [2, 4, 6, 8] }),
    problemOf(['w', 'w', null, 'r'], 'r', { promptId: 'b', tokens: [1, 1, 1, 1] }),
  ];
  test('has a point at each power of two, with tokens, intervals, and gains over the majority', async () => {
    const curve = await searchCurve(two, { step: 7, seed: 0, rankPower: 1 });
    expect(curve).toMatchObject({ step: 7, problems: 2, samples: 4, unread: 1 / 8 });
    const [majority] = curve.strategies;
    expect(majority.points.map(({ n, tokens }) => [n, tokens])).toEqual([
      [1, 3],
      [2, 6],
      [4, 12],
    ]);
    expect(majority.points[2].accuracy).toBeCloseTo(0.5, 12);
    expect(majority.points.every(({ gain }) => gain === null)).toBe(true);
    const oracle = curve.strategies.find(({ id }) => id === 'oracle');
    expect(oracle?.points[2]).toMatchObject({ accuracy: 1, gain: { difference: 0.5 }, kl: null });
  });

  test('no rule does better than the oracle', async () => {
    const random = stream(11, 'curve');
    const problems = Array.from({ length: 12 }, (_, p) => {
      const answers = Array.from({ length: 16 }, () => ['r', 'a', 'b', null][random.int(4)]);
      return problemOf(answers, 'r', {
        promptId: `p${p}`,
        texts: textNumbers(answers.map((answer) => `${answer} ${random.int(2)}`)),
        logp: answers.map(() => -5 * random.next()),
        scores: { s: answers.map(() => random.next() - 0.5) },
      });
    });
    const { strategies } = await searchCurve(problems, { step: 0, seed: 0, rankPower: 1 });
    const bound = strategies.find(({ id }) => id === 'oracle')?.points ?? [];
    for (const { id, points } of strategies)
      points.forEach(({ accuracy: own }, at) =>
        expect(own, id).toBeLessThanOrEqual(bound[at].accuracy + 0.05),
      );
    // from one answer there is nothing to choose
    for (const { id, points } of strategies)
      expect(points[0].accuracy, id).toBeCloseTo(bound[0].accuracy, 12);
  });

  test('of no problem, or of problems with unequal numbers of answers, is refused', async () => {
    const options = { step: 0, seed: 0, rankPower: 1 };
    await expect(searchCurve([], options)).rejects.toThrow('needs a problem');
    await expect(searchCurve([two[0], problemOf(['r'], 'r')], options)).rejects.toThrow(
      'needs 4 answers; p has 1',
    );
  });
});

test('answers are read by their last line, mark or number, and equal numbers are one answer', () => {
  const marked = { answer: 'marked', mark: '####' } as const;
  expect(readAnswer('1+1=2\n#2', { ...marked, answer: 'last-line' })).toBe('#2');
  expect(readAnswer('so #### 12\n', marked)).toBe('12');
  expect(readAnswer('no mark', marked)).toBeNull();
  expect(readAnswer('it is 1,200.', { ...marked, answer: 'number' })).toBe(
    readAnswer('1200', { ...marked, answer: 'number' }),
  );
  expect(readAnswer('none', { ...marked, answer: 'number' })).toBeNull();
  expect(readAnswer('', { ...marked, answer: 'whole' })).toBeNull();
});
