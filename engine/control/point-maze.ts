import { clamp, type ControlWorld } from './control-world.ts';
import { gridOf } from './grid.ts';

/** A wall between start and goal, open at one end. */
const grid = gridOf(['#######', '#S....#', '#####.#', '#G....#', '#######']);
/** Cells that a step moves at most in each direction; less than a wall is thick. */
const FARTHEST = 0.2;
const NEAR = 0.4;

const center = (cell: number) => [(cell % grid.width) + 0.5, Math.floor(cell / grid.width) + 0.5] as const;
const [start, goal] = ['S', 'G'].map((sign) => center(grid.cellOf(sign)));
const isOpen = (x: number, y: number): boolean =>
  grid.openIndex[Math.floor(y) * grid.width + Math.floor(x)] >= 0;

/** State: the place, in cells from the upper left corner. */
export const pointMaze: ControlWorld = {
  id: 'control/point-maze',
  title: 'Point maze',
  summary: 'A point moves in any direction around a wall; 1 near the goal behind it, and nothing before.',
  cites: 'the sparse maze tasks of D4RL (arXiv:2004.07219), without inertia; own map',
  observations: ['place to the right, −1 to 1', 'place downward, −1 to 1'],
  actions: { kind: 'numbers', low: [-1, -1], high: [1, 1] },
  stateSize: 2,
  limit: 200,
  start: (state, at, draw) => {
    for (let k = 0; k < 2; k++) state[at + k] = start[k] + 0.4 * (draw() - 0.5);
  },
  observe: (state, at, out, to) => {
    out[to] = (2 * state[at]) / grid.width - 1;
    out[to + 1] = (2 * state[at + 1]) / grid.height - 1;
  },
  advance: (state, at, actions, from) => {
    // one direction after the other, so that a point slides along walls
    const right = state[at] + FARTHEST * clamp(actions[from], -1, 1);
    if (isOpen(right, state[at + 1])) state[at] = right;
    const down = state[at + 1] + FARTHEST * clamp(actions[from + 1], -1, 1);
    if (isOpen(state[at], down)) state[at + 1] = down;
    return pointMaze.isTerminal(state, at) ? 1 : 0;
  },
  isTerminal: (state, at) => Math.hypot(state[at] - goal[0], state[at + 1] - goal[1]) < NEAR,
};

/**
 * The same maze where each step costs 1 until the goal, as the sparse mazes are trained in (arXiv:2110.06169,
 * which takes 1 off each reward): no bonus for entropy makes it worth staying away.
 */
export const pointMazeCost: ControlWorld = {
  ...pointMaze,
  id: 'control/point-maze-cost',
  title: 'Point maze with a cost',
  summary: 'The point maze where each step costs 1 until the goal, so that the shortest way is best.',
  advance: (...step) => pointMaze.advance(...step) - 1,
};

const beginnings = grid.open.filter((cell) => cell !== grid.cellOf('G'));

/** The same maze in short episodes from any cell but the goal's: chance finds the goal from those near it. */
export const pointMazeAnywhere: ControlWorld = {
  ...pointMaze,
  id: 'control/point-maze-anywhere',
  title: 'Point maze from anywhere',
  summary: 'The point maze in short episodes from any cell but the goal’s, so that chance finds the goal.',
  limit: 50,
  start: (state, at, draw) => {
    const place = center(beginnings[Math.floor(draw() * beginnings.length)]);
    for (let k = 0; k < 2; k++) state[at + k] = place[k] + 0.8 * (draw() - 0.5);
  },
};

/** Both: each step costs 1, in short episodes from anywhere. */
export const pointMazeCostAnywhere: ControlWorld = {
  ...pointMazeAnywhere,
  id: 'control/point-maze-cost-anywhere',
  title: 'Point maze with a cost, from anywhere',
  summary: 'The point maze with a cost, in short episodes from any cell but the goal’s.',
  advance: pointMazeCost.advance,
};
