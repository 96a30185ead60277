import type { ControlWorld } from './control-world.ts';
import { gridOf, moves } from './grid.ts';

const grid = gridOf([
  '#############',
  '#S....#.....#',
  '#.....#.....#',
  '#...........#',
  '#.....#.....#',
  '#.....#.....#',
  '##.####.....#',
  '#.....###.###',
  '#.....#.....#',
  '#.....#.....#',
  '#...........#',
  '#.....#....G#',
  '#############',
]);
const [start, goal] = [grid.cellOf('S'), grid.cellOf('G')];

/** State: the cell. */
export const fourRooms: ControlWorld = {
  id: 'control/four-rooms',
  title: 'Four rooms',
  summary: 'Four rooms with a door between neighbours; 1 in the far corner of the opposite room.',
  cites: 'Sutton, Precup and Singh 1999, figure 2, without slips; a fixed start and goal',
  observations: ['column, −1 to 1', 'row, −1 to 1'],
  actions: { kind: 'choices', names: moves },
  stateSize: 1,
  limit: 200,
  start: (state, at) => {
    state[at] = start;
  },
  observe: (state, at, out, to) => {
    grid.observe(state[at], out, to);
  },
  advance: (state, at, actions, from) => {
    state[at] = grid.moved(state[at], actions[from]);
    return state[at] === goal ? 1 : 0;
  },
  isTerminal: (state, at) => state[at] === goal,
  table: { size: grid.open.length, indexOf: (state, at) => grid.openIndex[state[at]] },
};
