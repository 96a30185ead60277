import { clamp, wrapAngle, type ControlWorld } from './control-world.ts';

const GRAVITY = 9.8;
/** Both links have mass, length and moment of inertia 1, and their center of mass in the middle. */
const MIDDLE = 0.5;
const STEP = 0.2;
const FASTEST = [4 * Math.PI, 9 * Math.PI] as const;

const slope = new Float64Array(4);
const total = new Float64Array(4);
const point = new Float64Array(4);

/** Time derivative of `point`, (θ₁, θ₂, θ̇₁, θ̇₂), into `slope` (Sutton and Barto 1998, section 11.3). */
const derive = (torque: number): void => {
  const [first, second, speed1, speed2] = [point[0], point[1], point[2], point[3]];
  const [cos2, sin2] = [Math.cos(second), Math.sin(second)];
  const d1 = MIDDLE ** 2 + (1 + MIDDLE ** 2 + 2 * MIDDLE * cos2) + 2;
  const d2 = MIDDLE ** 2 + MIDDLE * cos2 + 1;
  const phi2 = MIDDLE * GRAVITY * Math.cos(first + second - Math.PI / 2);
  const phi1 =
    -MIDDLE * speed2 * speed2 * sin2 -
    2 * MIDDLE * speed2 * speed1 * sin2 +
    (MIDDLE + 1) * GRAVITY * Math.cos(first - Math.PI / 2) +
    phi2;
  const second2 =
    (torque + (d2 / d1) * phi1 - MIDDLE * speed1 * speed1 * sin2 - phi2) / (MIDDLE ** 2 + 1 - (d2 * d2) / d1);
  slope[0] = speed1;
  slope[1] = speed2;
  slope[2] = -(d2 * second2 + phi1) / d1;
  slope[3] = second2;
};

/** One step of the fourth-order Runge–Kutta method, in place. */
const integrate = (state: Float64Array, at: number, torque: number): void => {
  total.fill(0);
  for (let stage = 0; stage < 4; stage++) {
    const ahead = stage === 3 ? STEP : STEP / 2;
    for (let k = 0; k < 4; k++) point[k] = state[at + k] + (stage === 0 ? 0 : ahead * slope[k]);
    derive(torque);
    for (let k = 0; k < 4; k++) total[k] += (stage === 0 || stage === 3 ? 1 : 2) * slope[k];
  }
  for (let k = 0; k < 4; k++) state[at + k] += (STEP / 6) * total[k];
};

/** State: angle of the first link, 0 downward, angle of the second to it, and both angular velocities. */
export const acrobot: ControlWorld = {
  id: 'control/acrobot',
  title: 'Acrobot',
  summary:
    'Two hanging links, driven at the joint between them, swing their tip above a line; a step costs 1.',
  cites: 'Sutton 1996; constants and limits of Gymnasium’s Acrobot-v1 (“book” dynamics)',
  observations: [
    'cosine of the first angle',
    'sine of the first angle',
    'cosine of the second angle',
    'sine of the second angle',
    'first angular velocity (rad/s)',
    'second angular velocity (rad/s)',
  ],
  actions: { kind: 'choices', names: ['torque −1', 'no torque', 'torque 1'] },
  stateSize: 4,
  limit: 500,
  start: (state, at, draw) => {
    for (let k = 0; k < 4; k++) state[at + k] = -0.1 + 0.2 * draw();
  },
  observe: (state, at, out, to) => {
    for (let k = 0; k < 2; k++) {
      out[to + 2 * k] = Math.cos(state[at + k]);
      out[to + 2 * k + 1] = Math.sin(state[at + k]);
      out[to + 4 + k] = state[at + 2 + k];
    }
  },
  advance: (state, at, actions, from) => {
    integrate(state, at, actions[from] - 1);
    for (let k = 0; k < 2; k++) {
      state[at + k] = wrapAngle(state[at + k]);
      state[at + 2 + k] = clamp(state[at + 2 + k], -FASTEST[k], FASTEST[k]);
    }
    return acrobot.isTerminal(state, at) ? 0 : -1;
  },
  isTerminal: (state, at) => -Math.cos(state[at]) - Math.cos(state[at] + state[at + 1]) > 1,
};
