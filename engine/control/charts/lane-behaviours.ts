/** Behaviours on the lane grid, told by charts: examples, each of which any start can complete. */
import { Chart, type Condition } from '../../schema/chart.ts';

type Test = readonly [value: string, is: Condition['is'], than: number];
const state = (name: string, ...when: readonly Test[]) => ({
  name,
  when: when.map(([value, is, than]) => ({ value, is, than })),
});

export const laneBehaviours: readonly Chart[] = [
  {
    name: 'weave',
    states: [
      state('in the left lane', ['lane', '=', 0]),
      state('in the right lane', ['lane', '=', 2]),
      state('left again', ['lane', '=', 0], ['place', '>=', 10]),
    ],
    order: ['in the left lane', 'in the right lane', 'left again'],
  },
  {
    name: 'stop and go',
    states: [
      state('stopped', ['speed', '=', 0], ['place', '>=', 5]),
      state('fast', ['speed', '=', 2], ['place', '>=', 10]),
    ],
    order: ['stopped', 'fast'],
  },
  {
    name: 'fall back, then pass',
    states: [
      state('far behind', ['gap to the first car', '>=', 5]),
      state('close behind', ['gap to the first car', '<=', 1], ['gap to the first car', '>', 0]),
      state('ahead', ['gap to the first car', '<', 0]),
    ],
    order: ['far behind', 'close behind', 'ahead'],
  },
  {
    name: 'merge late',
    states: [
      state('on the right', ['lane', '=', 2], ['place', '<', 8]),
      state('merged', ['lane', '=', 0], ['place', '>=', 12]),
    ],
    order: ['on the right', 'merged'],
  },
].map((chart) => Chart.parse(chart));
