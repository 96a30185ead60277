/**
 * Every statistic terminates, and rejects invalid input with a typed error: NaN, infinities where they have
 * no meaning, empty input, lists of unequal lengths.
 */
import { runInNewContext } from 'node:vm';
import { describe, expect, test } from 'vitest';
import * as evaluate from '../../engine/evaluate/index.ts';
import { tieStrength } from '../../engine/rl/parts/references/estimate-ties.ts';
import { crossValidated, fitLogistic } from '../../engine/regression/index.ts';
import { WhetstoneError } from '../../engine/common/errors.ts';
import { counts, inf, list, none, two, type Args, type Case } from '../support/bad-numbers.ts';
import { comparingStatistics } from '../support/comparing-statistics.ts';
import { labelerStatistics } from '../support/labeler-statistics.ts';
import { studyStatistics } from '../support/study-statistics.ts';

type Any = (...args: never[]) => unknown;

/** Time limit for a call that should return at once, in milliseconds; long enough for a busy machine. */
const LIMIT = 20_000;
/** The call's result or error; a call that exceeds the time limit is stopped and fails the test. */
const outcomeOf = (compute: Any, args: Args): unknown => {
  try {
    return runInNewContext('compute(...args)', { compute, args }, { timeout: LIMIT });
  } catch (error) {
    return error;
  }
};

const scored = (score: number) => ({ text: `${score}`, score, tokens: 3, correct: true });
const pair = (a: number, b: number) => ({ promptId: 'p', a: scored(a), b: scored(b), verdict: 'a' });
const problem = (gold: number, logRatio = 0) => ({
  promptId: 'p',
  greedyCorrect: true,
  answers: [{ correct: true, gold, proxy: null, tokens: 3, truncated: false, logRatio }],
});
const bin = (n: number, confidence = 0.5) => ({ from: 0, to: 1, n, confidence, accuracy: 0.5 });
const wins = (x: number) => [
  [0, x, 2],
  [3, 0, 4],
  [1, 2, 0],
];

const statistics: { readonly [name: string]: Case } = {
  ...studyStatistics,
  sum: { takes: [[1, 2, 3]], refuses: list((xs) => [xs], undefined, false) },
  mean: { takes: [[1, 2, 3]], refuses: list((xs) => [xs]) },
  weightedMean: {
    takes: [
      [1, 2, 3],
      [1, 0.5, 2],
    ],
    refuses: {
      ...list((xs) => [xs, [1, 1, 1]]),
      ...counts(
        (weight) => [
          [1, 2],
          [1, weight],
        ],
        [none, inf, -1, 0],
      ),
    },
  },
  variance: { takes: [[1, 2, 3]], refuses: list((xs) => [xs]) },
  deviation: { takes: [[1, 2, 3]], refuses: list((xs) => [xs]) },
  quantile: {
    takes: [[1, 2, 3], 0.5],
    refuses: { ...list((xs) => [xs, 0.5]), ...counts((q) => [[1, 2], q], [none, -0.1, 1.1, inf]) },
  },
  binEdges: {
    takes: [[1, 2, 3], 4],
    refuses: { ...list((xs) => [xs, 4], undefined, false), ...counts((n) => [[1, 2], n]) },
  },
  binOf: { takes: [[0, 1, 2], 1.5], refuses: { NaN: [[0, 1, 2], none] } },
  histogram: {
    takes: [[1, 2, 3], 4],
    refuses: {
      ...list((xs) => [xs, 4], undefined, false),
      ...counts((n) => [[1, 2], n]),
      'NaN with edges': [[none], 2, [0, 1, 2]],
      'NaN as an edge': [[1], 2, [0, none, 2]],
      'no bin': [[1], 0, [0]],
    },
  },
  pearson: {
    takes: [
      [1, 2, 3],
      [1, 3, 2],
    ],
    refuses: two((xs, ys) => [xs, ys]),
  },
  leastSquaresLine: {
    takes: [
      [1, 2, 3],
      [1, 3, 2],
    ],
    refuses: two((xs, ys) => [xs, ys]),
  },
  ranks: { takes: [[3, inf, -inf, 3]], refuses: list((xs) => [xs], [none]) },
  spearman: {
    takes: [
      [1, inf, 3],
      [1, 3, 2],
    ],
    refuses: two((xs, ys) => [xs, ys], [none]),
  },
  bestOfN: {
    takes: [[{ proxy: [1, 2], gold: [0, 1] }], [1, 2]],
    refuses: {
      ...counts((x) => [[{ proxy: [x, 2], gold: [0, 1] }], [1]], [none, inf]),
      ...counts((n) => [[{ proxy: [1, 2], gold: [0, 1] }], [n]], [none, 0, -1, 1.5, inf]),
      'no problems': [[], [1]],
    },
  },
  pressureFit: {
    takes: ['rl', [1, 2, 3], [[1, 2, 2]]],
    refuses: {
      ...counts((d) => ['rl', [1, 2, d], [[1, 2, 2]]], [none, -1, inf]),
      'NaN gains': ['rl', [1, 2, 3], [[1, 2, none]]],
      'unequal lengths': ['rl', [1, 2], [[1, 2, 3]]],
      'no problems': ['rl', [1, 2, 3], []],
    },
  },
  pressureGain: {
    takes: ['rl', { alpha: 1, beta: 1 }, 1],
    refuses: counts((d) => ['rl', { alpha: 1, beta: 1 }, d], [none, -1, inf]),
  },
  pressurePeak: {
    takes: ['rl', { alpha: 1, beta: 1 }],
    refuses: counts((x) => ['rl', { alpha: x, beta: 1 }], [none, inf]),
  },
  continual: {
    takes: [
      [
        [1, 0],
        [0.5, 1],
      ],
    ],
    refuses: {
      ...counts(
        (x) => [
          [
            [1, x],
            [0.5, 1],
          ],
        ],
        [none, inf],
      ),
      'one task': [[[1]]],
      'a missing accuracy': [[[1, 0], [1]]],
    },
  },
  fitSaturating: {
    takes: [
      [1, 2, 3, 4, 5],
      [0, 1, 2, 2.5, 2.7],
    ],
    refuses: {
      ...counts(
        (x) => [
          [1, 2, 3, 4, x],
          [0, 1, 2, 3, 3],
        ],
        [none, inf, 0, -1],
      ),
      'NaN rewards': [
        [1, 2, 3, 4, 5],
        [0, 1, 2, none, 3],
      ],
      'unequal lengths': [[1, 2, 3, 4, 5], [0]],
    },
  },
  saturatingAt: {
    takes: [{ start: 0, ceiling: 1, middle: 10, slope: 1 }, 5],
    refuses: counts((x) => [{ start: 0, ceiling: 1, middle: 10, slope: 1 }, x], [none, inf]),
  },
  holm: { takes: [[0.01, 0.2]], refuses: counts((p) => [[p]], [none, -0.1, 1.1, inf]) },
  parameterImportance: {
    takes: [
      [1, 2, 3],
      [1, 3, 2],
    ],
    refuses: two((xs, ys) => [xs, ys]),
  },
  auc: {
    takes: [
      [1, -inf, 3],
      [true, false, true],
    ],
    refuses: {
      ...list((xs) => [xs, xs.map((_, i) => i === 0)], [none]),
      'unequal lengths': [[1, 2], [true]],
    },
  },
  ...labelerStatistics,
  ...comparingStatistics,
  davidsonFit: {
    takes: [wins(1), wins(1).map((row) => row.map(() => 0))],
    refuses: counts((x) => [wins(x), wins(1).map((row) => row.map(() => 0))], [none, -1, inf]),
  },
  bradleyTerryFit: {
    takes: [wins(1)],
    refuses: {
      ...counts((x) => [wins(x)], [none, inf, -inf, -1]),
      nothing: [[]],
      'unequal lengths': [[[0, 1], [1]]],
    },
  },
  reliability: {
    takes: [
      [0.1, 0.9],
      [0, 1],
    ],
    refuses: {
      ...two((xs, ys) => [xs.map((x) => Number(x) / 8), ys.map((y) => Number(y) / 8)]),
      nothing: [[0.5], []],
      ...counts((n) => [[0.5], [1], n]),
      'a range that is none': [[0.5], [1], 10, [0, none]],
    },
  },
  expectedCalibrationError: {
    takes: [[bin(3)]],
    refuses: {
      nothing: [[]],
      ...counts((n) => [[bin(2), bin(n)]], [none, inf, -1]),
      'NaN as a mean': [[bin(2, none)]],
    },
  },
  klDivergence: {
    takes: [
      [0.5, 0.5],
      [0.1, 0.9],
    ],
    refuses: {
      ...two((xs, ys) => [xs, ys]),
      negative: [
        [-0.5, 1.5],
        [0.5, 0.5],
      ],
    },
  },
  entropy: { takes: [[0.5, 0.5]], refuses: { ...list((xs) => [xs]), negative: [[-0.5, 1.5]] } },
  'klEstimators.k1': { takes: [0.3], refuses: counts((x) => [x], [none, inf, -inf]) },
  'klEstimators.k2': { takes: [0.3], refuses: counts((x) => [x], [none, inf, -inf]) },
  'klEstimators.k3': { takes: [0.3], refuses: counts((x) => [x], [none, inf, -inf]) },
  evaluatePolicy: {
    takes: [{ step: 1, problems: [problem(1)] }],
    refuses: {
      nothing: [{ step: 1, problems: [] }],
      NaN: [{ step: 1, problems: [problem(none)] }],
      'NaN as a log-ratio': [{ step: 1, problems: [problem(1, none)] }],
      'unequal lengths': [{ step: 1, problems: [problem(1), { ...problem(1), answers: [] }] }],
    },
  },
  ksUpTo: { takes: [5], refuses: counts((n) => [n]) },
  inspectPairs: {
    takes: [[pair(1, 2)]],
    refuses: counts((x) => [[pair(x, 1), pair(0, 1)]], [none, inf, -inf]),
  },
  bootstrap: {
    takes: [3, () => 1, { replicates: 9 }],
    refuses: {
      ...counts((n) => [n, () => 1, { replicates: 9 }]),
      ...Object.fromEntries(
        [none, inf, 0, 1.5].map((n) => [`${n} replicates`, [3, () => 1, { replicates: n }]]),
      ),
      'a statistic of NaN': [3, () => none, { replicates: 9 }],
      'a level of NaN': [3, () => 1, { level: none }],
    },
  },
  meanInterval: { takes: [[1, 2, 3]], refuses: list((xs) => [xs]) },
  clusteredMeanInterval: {
    takes: [[{ sum: 1, n: 2 }]],
    refuses: {
      nothing: [[]],
      ...counts((n) => [[{ sum: 1, n }]]),
      ...Object.fromEntries([none, inf].map((sum) => [`a sum of ${sum}`, [[{ sum, n: 1 }]]])),
    },
  },
  clusteredRateInterval: {
    takes: [[]],
    refuses: {
      ...counts((n) => [[{ sum: 1, n }]]),
      ...Object.fromEntries([none, inf].map((sum) => [`a sum of ${sum}`, [[{ sum, n: 1 }]]])),
    },
  },
  clustersOf: {
    takes: [
      ['a', 'b'],
      [1, 2],
    ],
    refuses: { ...list((xs) => [xs.map(String), xs], undefined, false), 'unequal lengths': [['a'], [1, 2]] },
  },
  pairedDifference: {
    takes: [
      [1, 2],
      [2, 2],
    ],
    refuses: { ...two((xs, ys) => [xs, ys]), 'unequal keys': [[1, 2], [1, 2], ['a']] },
  },
  wilson: {
    takes: [3, 5],
    refuses: { ...counts((n) => [1, n], [none, inf, -1, 0]), ...counts((n) => [n, 5], [none, inf, -1, 6]) },
  },
  passAtK: {
    takes: [5, 2, 1],
    refuses: {
      ...counts((n) => [n, 1, 1]),
      ...counts((c) => [5, c, 1], [none, inf, -1, 6, 1.5]),
      ...counts((k) => [5, 2, k]),
    },
  },
  majorityVote: {
    takes: [5, 0.6],
    refuses: { ...counts((n) => [n, 0.5]), ...counts((p) => [5, p], [none, inf, -0.1, 1.1]) },
  },
  zeroVarianceShare: {
    takes: [0.5, 8],
    refuses: { ...counts((n) => [0.5, n]), ...counts((p) => [p, 8], [none, inf, -0.1, 1.1]) },
  },
  bestOfNKl: { takes: [4], refuses: counts((n) => [n]) },
  expectedMaximum: { takes: [4], refuses: counts((n) => [n]) },
  normalCdf: { takes: [-inf], refuses: { NaN: [none] } },
  goodhart: {
    takes: [4, 1],
    refuses: {
      ...counts((n) => [n]),
      ...Object.fromEntries([none, inf, -1].map((x) => [`noise of ${x}`, [4, x]])),
    },
  },
};
/**
 * Functions of a model's numbers that do not validate, since their callers report non-finite values as the
 * model's; of texts; and of attacks, whose harm may not be known.
 */
const plain = [
  'sigmoid',
  'referencesOf',
  'selfBleu',
  'textDiversity',
  'cosineOfCounts',
  'likeFamilies',
  'meanCosines',
  'ngrams',
  'frontierOf',
];

const exported: { readonly [name: string]: Any } = Object.fromEntries(
  Object.entries(evaluate).flatMap(([name, value]) =>
    typeof value === 'function'
      ? [[name, value as Any]]
      : Object.entries(value).flatMap(([inner, compute]) =>
          typeof compute === 'function' ? [[`${name}.${inner}`, compute as Any]] : [],
        ),
  ),
);

test('every exported statistic is tested', () =>
  expect([...Object.keys(statistics), ...plain].sort()).toEqual(Object.keys(exported).sort()));

describe.each(Object.entries(statistics))('%s', (name, { takes, refuses }) => {
  test('accepts valid input', () => expect(outcomeOf(exported[name], takes)).not.toBeInstanceOf(Error));
  test.each(Object.entries(refuses))('rejects %s', (_what, args) => {
    const outcome = outcomeOf(exported[name], args);
    expect(outcome).toBeInstanceOf(WhetstoneError);
    expect(['numeric', 'invalid-input']).toContain((outcome as WhetstoneError).kind);
  });
});

describe('engine fits', () => {
  const comparisons = (x: number) => ({
    differences: Float64Array.of(1, x, -1, 2),
    width: 1,
    targets: Float64Array.of(1, 1, 0, 1),
    weights: new Float64Array(4).fill(1),
  });
  test.each([none, inf, -inf])('terminate with an error when a number is %s', async (x) => {
    await expect(fitLogistic(comparisons(x), 1)).rejects.toBeInstanceOf(WhetstoneError);
    const folded = { ...comparisons(x), groups: Float64Array.of(1, 2, 3, 4), folds: 2 };
    await expect(crossValidated(folded)).rejects.toBeInstanceOf(WhetstoneError);
    expect(outcomeOf(() => tieStrength([1, x], 1), [])).toBeInstanceOf(WhetstoneError);
  });
});
