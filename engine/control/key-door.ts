import type { ControlWorld } from './control-world.ts';
import { cellsOf, gridOf, moves } from './grid.ts';

const grid = gridOf([
  '##########',
  '#S...#...#',
  '#....#...#',
  '#....D...#',
  '#....#...#',
  '#K...#..G#',
  '##########',
]);
const [start, key, door, goal] = ['S', 'K', 'D', 'G'].map((sign) => grid.cellOf(sign));

/** State: the cell, and 1 with the key. */
export const keyDoor: ControlWorld = {
  id: 'control/key-door',
  title: 'Key and door',
  summary: 'A door lets through only who has fetched the key; 1 behind it, and nothing before.',
  cites: 'the task of MiniGrid’s DoorKey with four moves and no turns; own map',
  observations: ['column, −1 to 1', 'row, −1 to 1', 'has the key'],
  actions: { kind: 'choices', names: moves },
  stateSize: 2,
  limit: 100,
  start: (state, at) => {
    state[at] = start;
    state[at + 1] = 0;
  },
  observe: (state, at, out, to) => {
    grid.observe(state[at], out, to);
    out[to + 2] = state[at + 1];
  },
  advance: (state, at, actions, from) => {
    const next = grid.moved(state[at], actions[from]);
    if (next !== door || state[at + 1] === 1) state[at] = next;
    if (state[at] === key) state[at + 1] = 1;
    return state[at] === goal ? 1 : 0;
  },
  isTerminal: (state, at) => state[at] === goal,
  table: {
    size: 2 * grid.open.length,
    indexOf: (state, at) => 2 * grid.openIndex[state[at]] + state[at + 1],
    cells: cellsOf(grid, 2),
  },
};
