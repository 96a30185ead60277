import { clamp, type ControlWorld } from './control-world.ts';

const LEFTMOST = -1.2;
const RIGHTMOST = 0.6;
const FASTEST = 0.07;
const GOAL = 0.5;
const FORCE = 0.001;
const GRAVITY = 0.0025;

/** State: place and velocity. */
export const mountainCar: ControlWorld = {
  id: 'control/mountain-car',
  title: 'Mountain car',
  summary: 'A car too weak for the hill swings back and forth to reach its top; every step costs 1.',
  cites: 'Moore 1990; constants and limits of Gymnasium’s MountainCar-v0',
  observations: ['place', 'velocity'],
  actions: { kind: 'choices', names: ['left', 'coast', 'right'] },
  stateSize: 2,
  limit: 200,
  start: (state, at, draw) => {
    state[at] = -0.6 + 0.2 * draw();
    state[at + 1] = 0;
  },
  observe: (state, at, out, to) => {
    out[to] = state[at];
    out[to + 1] = state[at + 1];
  },
  advance: (state, at, actions, from) => {
    const place = state[at];
    const pushed = state[at + 1] + (actions[from] - 1) * FORCE - Math.cos(3 * place) * GRAVITY;
    const velocity = clamp(pushed, -FASTEST, FASTEST);
    state[at] = clamp(place + velocity, LEFTMOST, RIGHTMOST);
    // the wall on the left stops the car
    state[at + 1] = state[at] === LEFTMOST && velocity < 0 ? 0 : velocity;
    return -1;
  },
  isTerminal: (state, at) => state[at] >= GOAL && state[at + 1] >= 0,
};
