import type { ControlWorld } from './control-world.ts';

const GRAVITY = 9.8;
const POLE_MASS = 0.1;
const TOTAL_MASS = 1 + POLE_MASS;
/** Half of the pole, in m. */
const LENGTH = 0.5;
const FORCE = 10;
/** Seconds of a step. */
const STEP = 0.02;
const FARTHEST = 2.4;
const STEEPEST = (12 * 2 * Math.PI) / 360;

/** State: place and velocity of the cart, angle and angular velocity of the pole. */
export const cartPole: ControlWorld = {
  id: 'control/cart-pole',
  title: 'Cart-pole',
  summary: 'A cart is pushed left or right to keep a pole upright; 1 for each step, until it falls.',
  cites: 'Barto, Sutton and Anderson 1983; constants and limits of Gymnasium’s CartPole-v1',
  observations: ['place (m)', 'velocity (m/s)', 'angle (rad)', 'angular velocity (rad/s)'],
  actions: { kind: 'choices', names: ['left', 'right'] },
  stateSize: 4,
  limit: 500,
  start: (state, at, draw) => {
    for (let k = 0; k < 4; k++) state[at + k] = -0.05 + 0.1 * draw();
  },
  observe: (state, at, out, to) => {
    for (let k = 0; k < 4; k++) out[to + k] = state[at + k];
  },
  advance: (state, at, actions, from) => {
    const [velocity, angle, turning] = [state[at + 1], state[at + 2], state[at + 3]];
    const force = actions[from] === 1 ? FORCE : -FORCE;
    const cos = Math.cos(angle);
    const sin = Math.sin(angle);
    const pushed = (force + POLE_MASS * LENGTH * turning * turning * sin) / TOTAL_MASS;
    const angular =
      (GRAVITY * sin - cos * pushed) / (LENGTH * (4 / 3 - (POLE_MASS * cos * cos) / TOTAL_MASS));
    const linear = pushed - (POLE_MASS * LENGTH * angular * cos) / TOTAL_MASS;
    // Euler's method: places move by the old velocities
    state[at] += STEP * velocity;
    state[at + 1] = velocity + STEP * linear;
    state[at + 2] = angle + STEP * turning;
    state[at + 3] = turning + STEP * angular;
    return 1;
  },
  isTerminal: (state, at) => Math.abs(state[at]) > FARTHEST || Math.abs(state[at + 2]) > STEEPEST,
};
