/** Inputs of the statistics of studies: what adapting costs, and what a red team reached. */
import { counts, inf, list, none, type Case } from './bad-numbers.ts';

export const studyStatistics: { readonly [name: string]: Case } = {
  wasserstein: {
    takes: [[1, 2], [3]],
    refuses: { ...list((xs) => [xs, [3]]), ...list((ys) => [[3], ys], [none, inf], false) },
  },
  slicedWasserstein: {
    takes: [[[1, 2]], [[3, 4]]],
    refuses: { ...counts((x) => [[[1, x]], [[3, 4]]], [none, inf]), 'no points': [[], [[1]]] },
  },
  inheritance: {
    takes: [
      [0.5, 0.6],
      [
        [0.9, 0.2],
        [0.4, 0.7],
      ],
    ],
    refuses: {
      ...counts(
        (x) => [
          [0.5, x],
          [
            [0.9, 0.2],
            [0.4, 0.7],
          ],
        ],
        [none, inf],
      ),
      'one task': [[0.5], [[0.9]]],
    },
  },
  retained: { takes: [[1, 2], 0], refuses: { NaN: [[1, none], 0], 'no other task': [[1], 0] } },
  paretoFront: { takes: [[[1, 2]]], refuses: { NaN: [[[1, none]]] } },
  atLevel: {
    takes: [[{ value: 1, other: 2 }], 0.5],
    refuses: { ...counts((x) => [[{ value: x, other: 2 }], 0.5], [none, inf]), 'NaN as level': [[], none] },
  },
  familiesFound: { takes: [[{ text: 'a', harm: none, family: 'b' }], 0.5], refuses: { NaN: [[], none] } },
  firstErrorShares: {
    takes: [[{ firstError: 1, firstBlamed: null }]],
    refuses: counts((x) => [[{ firstError: x, firstBlamed: 0 }]], [none, inf]),
  },
  hypervolume: {
    takes: [[{ threshold: 0, quality: 0.5, diversity: null }]],
    refuses: counts((x) => [[{ threshold: 0, quality: x, diversity: 0.5 }]], [none, inf]),
  },
};
