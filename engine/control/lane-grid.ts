import type { ControlWorld } from './control-world.ts';

const LANES = 3;
/** Cells of the road. */
const ROAD = 18;
const FASTEST = 2;
const actions = ['keep', 'left', 'right', 'faster', 'slower'] as const;

/** Numbers of each vehicle in the state: lane, place, speed. The driver's come first, then those of two cars. */
const [FIRST, SECOND, CRASHED] = [3, 6, 9];

/** How the driver's lane or speed changes. */
const act = (state: Float64Array, at: number, action: number): void => {
  const lane = state[at];
  const speed = state[at + 2];
  if (action === 1) state[at] = Math.max(0, lane - 1);
  if (action === 2) state[at] = Math.min(LANES - 1, lane + 1);
  if (action === 3) state[at + 2] = Math.min(FASTEST, speed + 1);
  if (action === 4) state[at + 2] = Math.max(0, speed - 1);
};

/** True if the vehicle at `front` is ahead of `car` in its lane. */
const isAhead = (state: Float64Array, front: number, car: number): boolean =>
  state[front] === state[car] && state[front + 1] > state[car + 1];

/**
 * Moves a car by its speed, but never into a vehicle ahead of it in its lane, for which it slows down until there
 * is room. The vehicles ahead are at their new places.
 */
const drive = (state: Float64Array, car: number, driver: number, other: number): void => {
  let farthest = state[car + 1] + state[car + 2];
  if (isAhead(state, driver, car)) farthest = Math.min(farthest, state[driver + 1] - 1);
  if (isAhead(state, other, car)) farthest = Math.min(farthest, state[other + 1] - 1);
  state[car + 1] = Math.max(state[car + 1], farthest);
};

/** State: lane, place and speed of the driver and of two cars; 1 after a crash. */
export const laneGrid: ControlWorld = {
  id: 'control/lane-grid',
  title: 'Lane grid',
  summary:
    'A road of three lanes with two cars that keep theirs; 0.05 for each cell, 1 at the end, −1 for a crash.',
  cites: 'After the highway scenes of Text-to-Drive (arXiv:2406.04300), on cells',
  observations: [
    'lane, 0 (left) to 2',
    'place (cells)',
    'speed (cells a step)',
    'lane of the first car',
    'gap to the first car (cells)',
    'lane of the second car',
    'gap to the second car (cells)',
  ],
  actions: { kind: 'choices', names: actions },
  stateSize: 10,
  limit: 30,
  start: (state, at, draw) => {
    const below = (count: number) => Math.floor(draw() * count);
    const [first, second] = [below(LANES), below(LANES)];
    const place = 2 + below(3);
    // in one lane the faster car stands ahead, and neither stops the other
    const apart = second === first ? 2 : 0;
    state.set([1, 0, 1, first, place, 1, second, place + apart + below(3), 1 + below(2), 0], at);
  },
  observe: (state, at, out, to) => {
    for (let k = 0; k < 3; k++) out[to + k] = state[at + k];
    for (let c = 0; c < 2; c++) {
      const car = at + (c === 0 ? FIRST : SECOND);
      out[to + 3 + 2 * c] = state[car];
      out[to + 4 + 2 * c] = state[car + 1] - state[at + 1];
    }
  },
  advance: (state, at, chosen, from) => {
    act(state, at, chosen[from]);
    const before = state[at + 1];
    // a car that was level or ahead can be hit, one behind brakes
    const [isFirst, isSecond] = [!isAhead(state, at, at + FIRST), !isAhead(state, at, at + SECOND)];
    state[at + 1] = Math.min(ROAD, before + state[at + 2]);
    // the car ahead moves first, so that one behind it sees how much room there is
    const isFirstAhead = state[at + FIRST + 1] >= state[at + SECOND + 1];
    const [leads, follows] = isFirstAhead ? [at + FIRST, at + SECOND] : [at + SECOND, at + FIRST];
    drive(state, leads, at, follows);
    drive(state, follows, at, leads);
    const hits = (car: number) => state[car] === state[at] && state[car + 1] <= state[at + 1];
    const isCrash = (isFirst && hits(at + FIRST)) || (isSecond && hits(at + SECOND));
    if (isCrash) state[at + CRASHED] = 1;
    const gained = 0.05 * (state[at + 1] - before);
    return isCrash ? gained - 1 : gained + (state[at + 1] === ROAD ? 1 : 0);
  },
  isTerminal: (state, at) => state[at + CRASHED] === 1 || state[at + 1] === ROAD,
};
