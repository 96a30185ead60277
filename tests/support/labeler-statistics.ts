import { counts, inf, list, none, type Case } from './bad-numbers.ts';

const ratings = (x: number) => [
  [1, 2, x],
  [1, 1, 2],
];
const alphaRefuses = {
  ...counts((x) => [ratings(x)], [none, inf, -inf]),
  nothing: [[]],
  'no item': [[[], []]],
  'one rater': [[[1, 2]]],
  'unequal lengths': [[[1, 2], [1]]],
  'no item with two ratings': [
    [
      [1, null],
      [null, 1],
    ],
  ],
  'text as intervals': [[['a'], ['b']], 'interval'],
};
const votes = [{ item: 'p', labeler: 'x', label: 'a' }];

/** Valid and invalid input of each statistic of labelers. */
export const labelerStatistics: { readonly [name: string]: Case } = {
  cohenKappa: {
    takes: [
      ['a', 'b'],
      ['a', 'a'],
    ],
    refuses: { nothing: [[], []], 'unequal lengths': [['a'], []] },
  },
  fleissKappa: {
    takes: [
      [
        [2, 1],
        [1, 2],
      ],
    ],
    refuses: {
      nothing: [[]],
      NaN: [
        [
          [none, 1],
          [1, 1],
        ],
      ],
      infinity: [
        [
          [inf, 1],
          [1, inf],
        ],
      ],
      negative: [
        [
          [3, -1],
          [1, 1],
        ],
      ],
      'unequal lengths': [[[2, 1], [3]]],
    },
  },
  cohenAgreement: {
    takes: [
      ['a', 'b'],
      ['a', 'a'],
    ],
    refuses: { nothing: [[], []], 'unequal lengths': [['a'], []] },
  },
  fleissAgreement: {
    takes: [
      [
        [2, 1],
        [1, 2],
      ],
    ],
    refuses: {
      nothing: [[]],
      ...counts((x) => [[[x, 1]]], [none, inf, -1, 0]),
      'unequal lengths': [[[2, 1], [3]]],
    },
  },
  agreementOver: {
    takes: [3, () => 1, { replicates: 9 }],
    refuses: {
      ...counts((n) => [n, () => 1, { replicates: 9 }]),
      ...counts((n) => [3, () => 1, { replicates: n }]),
      'a level of NaN': [3, () => 1, { level: none }],
    },
  },
  krippendorffAlpha: { takes: [ratings(2)], refuses: alphaRefuses },
  krippendorffAgreement: { takes: [ratings(2)], refuses: alphaRefuses },
  dawidSkene: {
    takes: [votes],
    refuses: {
      nothing: [[]],
      'a label outside the list': [votes, { labels: ['b'] }],
      ...counts((smoothing) => [votes, { smoothing }], [none, inf, -1]),
      ...counts((iterations) => [votes, { iterations }]),
      ...counts((tolerance) => [votes, { tolerance }], [none, inf, -1]),
    },
  },
  selfAgreement: { takes: [[]], refuses: {} },
  goldAgreement: { takes: [[], new Map()], refuses: {} },
  positionBias: { takes: [['left', 'right']], refuses: { 'another side': [['top']] } },
  paceOf: {
    takes: [[1, 2, 3]],
    refuses: {
      ...list((xs) => [xs], undefined, false),
      'a falling time': [[2, 1]],
      'a pause of NaN': [[1, 2], none],
    },
  },
  driftOf: {
    takes: [[1, 2, 3]],
    refuses: { ...list((xs) => [xs]), 'one value': [[1]], ...counts((n) => [[1, 2, 3], n]) },
  },
};
