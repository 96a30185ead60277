import { uniform } from '../random/random.ts';
import type { ControlWorld } from './control-world.ts';

/** Rows, and columns. */
const SIZE = 10;
const COST = 0.01;

/** In half of the cells, at random, the actions are exchanged, so that nothing carries over between cells. */
const rightIn = Uint8Array.from({ length: SIZE * SIZE }, (_, cell) =>
  uniform(0, 'control-deep-sea', cell) < 0.5 ? 0 : 1,
);

/** State: row and column. */
export const deepSea: ControlWorld = {
  id: 'control/deep-sea',
  title: 'Deep sea',
  summary:
    'A diver sinks a row a step, left or right; 1 for the treasure at the right end, which each step to the right ' +
    'makes a little dearer. Undirected exploration finds it once in 2¹⁰ episodes.',
  cites: 'Osband et al. 2019 (arXiv:1908.03568), deterministic, size 10',
  observations: ['row, 0 to 1', 'column, 0 to 1'],
  actions: { kind: 'choices', names: ['first', 'second'] },
  stateSize: 2,
  limit: SIZE,
  start: (state, at) => {
    state[at] = 0;
    state[at + 1] = 0;
  },
  observe: (state, at, out, to) => {
    out[to] = state[at] / SIZE;
    out[to + 1] = state[at + 1] / SIZE;
  },
  advance: (state, at, actions, from) => {
    const [row, column] = [state[at], state[at + 1]];
    const isRight = actions[from] === rightIn[row * SIZE + column];
    const found = isRight && row === SIZE - 1 && column === SIZE - 1;
    state[at] = row + 1;
    state[at + 1] = isRight ? Math.min(column + 1, SIZE - 1) : Math.max(column - 1, 0);
    return (found ? 1 : 0) - (isRight ? COST / SIZE : 0);
  },
  isTerminal: (state, at) => state[at] === SIZE,
  table: {
    size: (SIZE + 1) * SIZE,
    indexOf: (state, at) => state[at] * SIZE + state[at + 1],
    cells: {
      columns: SIZE,
      rows: SIZE + 1,
      open: Array.from({ length: (SIZE + 1) * SIZE }, (_, cell) => cell),
      placeOf: (index) => index,
    },
  },
};
