/** A space in which distances are times to reach, from a log. */
import type { RandomStream } from '../../random/random.ts';
import { episodesOf, type Logged } from './logged.ts';

interface HilbertOptions {
  readonly states: number;
  readonly discount: number;
  readonly dims: number;
  readonly expectile: number;
  readonly rate: number;
  readonly passes: number;
}

/** ‖φ(a) − φ(b)‖. */
export const distance = (phi: readonly number[], a: number, b: number, dims: number): number => {
  let sum = 0;
  for (let k = 0; k < dims; k++) sum += (phi[a * dims + k] - phi[b * dims + k]) ** 2;
  return Math.sqrt(sum);
};

/**
 * φ [states × dims] with −‖φ(s) − φ(g)‖ the value of going from s to g at a cost of 1 a step, by expectile TD
 * (equations 5 and 6 of the paper, with a table in place of the network).
 */
export const hilbert = (log: readonly Logged[], options: HilbertOptions, draw: RandomStream): number[] => {
  const { states, dims, discount, expectile, rate, passes } = options;
  const phi = Array.from({ length: states * dims }, () => draw.normal());
  const episodes = episodesOf(log);
  for (let pass = 0; pass < passes * log.length; pass++) {
    const episode = draw.pick(episodes);
    const at = draw.int(episode.length);
    const { state, next } = episode[at];
    const isOwn = draw.next() < 0.7;
    // goals: later in the same trajectory, geometrically near, or anywhere
    const later = Math.min(episode.length - 1, at + Math.floor(Math.log(draw.next()) / Math.log(discount)));
    const goal = isOwn ? episode[later].next : draw.pick(draw.pick(episodes)).next;
    if (goal === state) continue;
    const far = distance(phi, state, goal, dims);
    const error = -1 + (goal === next ? 0 : -discount * distance(phi, next, goal, dims)) + far;
    const step = (rate * (error > 0 ? expectile : 1 - expectile) * error) / Math.max(far, 1e-6);
    for (let k = 0; k < dims; k++) {
      const apart = phi[state * dims + k] - phi[goal * dims + k];
      phi[state * dims + k] -= step * apart;
      phi[goal * dims + k] += step * apart;
    }
  }
  return phi;
};
