import { clamp, wrapAngle, type ControlWorld } from './control-world.ts';

const GRAVITY = 10;
const STEP = 0.05;
const FASTEST = 8;
const STRONGEST = 2;

/** State: angle, 0 upright, and angular velocity. Mass and length are 1. */
export const pendulum: ControlWorld = {
  id: 'control/pendulum',
  title: 'Pendulum',
  summary: 'A weak motor swings a pendulum up and holds it; every step costs its distance from rest upright.',
  cites: 'constants and limits of Gymnasium’s Pendulum-v1',
  observations: ['cosine of the angle', 'sine of the angle', 'angular velocity (rad/s)'],
  actions: { kind: 'numbers', low: [-STRONGEST], high: [STRONGEST] },
  stateSize: 2,
  limit: 200,
  start: (state, at, draw) => {
    state[at] = Math.PI * (2 * draw() - 1);
    state[at + 1] = 2 * draw() - 1;
  },
  observe: (state, at, out, to) => {
    out[to] = Math.cos(state[at]);
    out[to + 1] = Math.sin(state[at]);
    out[to + 2] = state[at + 1];
  },
  advance: (state, at, actions, from) => {
    const [angle, turning] = [state[at], state[at + 1]];
    const torque = clamp(actions[from], -STRONGEST, STRONGEST);
    const off = wrapAngle(angle);
    const cost = off * off + 0.1 * turning * turning + 0.001 * torque * torque;
    const next = turning + (1.5 * GRAVITY * Math.sin(angle) + 3 * torque) * STEP;
    state[at + 1] = clamp(next, -FASTEST, FASTEST);
    state[at] = angle + state[at + 1] * STEP;
    return -cost;
  },
  isTerminal: () => false,
};
