import { counts, inf, list, none, type Case } from './bad-numbers.ts';

const table = (x: number) => [
  [0.5, x],
  [0.25, 1],
];
/** Distances of three items. */
const square = (x: number) => [0, x, 2, x, 0, 3, 2, 3, 0];
const tableRefuses = {
  ...counts((x) => [table(x)], [none, inf, -inf]),
  nothing: [[]],
  'no problem': [[[], []]],
  'unequal lengths': [[[1, 2], [1]]],
};
const groupsRefuse = (wrong: number) => ({
  ...counts((x) => [table(x), table(1)], [none, inf, -inf]),
  ...counts((x) => [table(1), table(x)], [none, inf, -inf]),
  nothing: [[], []],
  'other problems': [[[1, 2]], [[1]]],
  [`${wrong} in a group`]: [[[wrong]], [[1]]],
});

/** Valid and invalid input of each statistic that compares policies. */
export const comparingStatistics: { readonly [name: string]: Case } = {
  aggregatesOf: { takes: [table(1)], refuses: tableRefuses },
  aggregateIntervals: {
    takes: [table(1)],
    refuses: {
      ...tableRefuses,
      ...counts((replicates) => [table(1), { replicates }], [none, inf, -1, 0, 1.5]),
    },
  },
  probabilityOfImprovement: {
    takes: [table(1), table(0)],
    refuses: {
      ...groupsRefuse(none),
      ...counts((replicates) => [table(1), table(0), { replicates }], [none, inf, -1, 0, 1.5]),
    },
  },
  performanceProfile: {
    takes: [table(1), [0, 0.5]],
    refuses: { ...tableRefuses, ...counts((x) => [table(1), [x]], [none, inf]) },
  },
  groupDifference: { takes: [table(1), table(0)], refuses: groupsRefuse(inf) },
  pairedMean: { takes: [[0.5, -0.25, 0]], refuses: list((xs) => [xs]) },
  signFlipTest: { takes: [[0.5, -0.25, 0]], refuses: list((xs) => [xs]) },
  studentInterval: { takes: [[0.5, 0.25]], refuses: list((xs) => [xs]) },
  winsOf: { takes: [[0.5, -0.25, 0]], refuses: list((xs) => [xs], [none, inf, -inf], false) },
  problemsNeeded: {
    takes: [0.5, 0.02],
    refuses: {
      ...counts((spread) => [spread, 0.02], [none, inf, -1]),
      ...counts((difference) => [0.5, difference], [none, inf, -1, 0]),
    },
  },
  distancesOf: {
    takes: [table(1)],
    refuses: {
      ...counts((x) => [table(x)], [none, inf, -inf]),
      'unequal lengths': [[[1, 2], [1]]],
    },
  },
  mantelTest: {
    takes: [square(1), square(4)],
    refuses: {
      ...counts((x) => [square(x), square(1)], [none, inf]),
      ...counts((x) => [square(1), square(x)], [none, inf]),
      ...counts((permutations) => [square(1), square(4), { permutations }]),
      'unequal lengths': [square(1), [0]],
      'no square': [
        [1, 2],
        [1, 2],
      ],
    },
  },
  studentTails: {
    takes: [2, 5],
    refuses: { NaN: [none, 5], ...counts((df) => [2, df], [none, inf, -1, 0]) },
  },
  studentBound: {
    takes: [0.95, 5],
    refuses: {
      ...counts((level) => [level, 5], [none, inf, -0.1, 1.1]),
      ...counts((df) => [0.95, df], [none, inf, -1, 0]),
    },
  },
  mcNemar: {
    takes: [3, 9],
    refuses: {
      ...counts((a) => [a, 2], [none, inf, -1, 1.5]),
      ...counts((b) => [2, b], [none, inf, -1, 1.5]),
    },
  },
};
