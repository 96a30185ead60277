import type { ControlWorld } from './control-world.ts';
import { cellsOf, gridOf, moves } from './grid.ts';

/** From S to G, which ends an episode with a reward of 1. State: the cell. */
const roomsOf = (
  rows: readonly string[],
  about: Pick<ControlWorld, 'id' | 'title' | 'summary' | 'cites' | 'limit'>,
): ControlWorld => {
  const grid = gridOf(rows);
  const [start, goal] = [grid.cellOf('S'), grid.cellOf('G')];
  return {
    ...about,
    observations: ['column, −1 to 1', 'row, −1 to 1'],
    actions: { kind: 'choices', names: moves },
    stateSize: 1,
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
    table: {
      size: grid.open.length,
      indexOf: (state, at) => grid.openIndex[state[at]],
      cells: cellsOf(grid),
    },
  };
};

export const fourRooms = roomsOf(
  [
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
  ],
  {
    id: 'control/four-rooms',
    title: 'Four rooms',
    summary: 'Four rooms with a door between neighbours; 1 in the far corner of the opposite room.',
    cites: 'Sutton, Precup and Singh 1999, figure 2, without slips; a fixed start and goal',
    limit: 200,
  },
);

/** Cells of a side, without the border. */
const SIDE = 51;
const MIDDLE = (SIDE - 1) / 2;
/** How far from the middle the doors of the upright wall and of the level one lie. */
const [UPRIGHT, LEVEL] = [5, 10];

/** A cross of walls, with a door in each arm. */
const largeRows = (): string[] => {
  const signOf = (column: number, row: number): string => {
    if (column === SIDE - 1 && row === 0) return 'S';
    if (column === 0 && row === SIDE - 1) return 'G';
    const isDoor =
      column === MIDDLE ? Math.abs(row - MIDDLE) === UPRIGHT : Math.abs(column - MIDDLE) === LEVEL;
    return (column === MIDDLE || row === MIDDLE) && !isDoor ? '#' : '.';
  };
  const border = '#'.repeat(SIDE + 2);
  const inner = Array.from({ length: SIDE }, (_, row) => {
    const cells = Array.from({ length: SIDE }, (_, column) => signOf(column, row));
    return `#${cells.join('')}#`;
  });
  return [border, ...inner, border];
};

export const largeRooms = roomsOf(largeRows(), {
  id: 'control/large-rooms',
  title: 'Large rooms',
  summary:
    'Four rooms of 25 by 25 cells with a door between neighbours; 1 in the far corner of the opposite room, which ' +
    'a random walk does not reach.',
  cites: 'Mahankali et al. 2024 (arXiv:2407.13755), section 5.1',
  limit: 500,
});
