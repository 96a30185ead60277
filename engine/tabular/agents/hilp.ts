import { count, defineAgent, positive, share } from '../kernel/agent.ts';
import { estimated } from '../kernel/counts.ts';
import { countsOf } from '../kernel/log-model.ts';
import { episodesOf, fromLog, logParams, type Logged } from '../kernel/logged.ts';
import { greedyPolicy, valueIteration } from '../kernel/plan.ts';
import type { RandomStream } from '../../random/random.ts';
import { filled } from '../kernel/tables.ts';

interface HilbertOptions {
  readonly states: number;
  readonly discount: number;
  readonly dims: number;
  readonly expectile: number;
  readonly rate: number;
  readonly passes: number;
}

const distance = (phi: readonly number[], a: number, b: number, dims: number): number => {
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

export const hilp = defineAgent({
  id: 'hilp',
  title: 'HILP',
  summary:
    'From a log without rewards, a space whose distances are times to reach; then, for any goal, the policy for ' +
    'the direction towards it.',
  cites: 'Park, Kreiman and Levine 2024 (arXiv:2402.15567), with tables',
  params: {
    ...logParams,
    dims: count(16, 'Dimensions of the space.'),
    expectile: share(0.9, 'Expectile of the value, above ½.'),
    rate: positive(0.3, 'Step size.'),
    passes: count(60, 'Passes through the log.'),
    near: share(0.5, 'Discount of the policy for a direction.'),
  },
  open: (setting, { dims, expectile, rate, passes, near, ...params }) =>
    fromLog(
      setting,
      params,
      (log) => {
        const { states, actions, discount, draw } = setting;
        const phi = hilbert(log, { states, discount, dims, expectile, rate, passes }, draw);
        // the task is told last, as the state in which the log earned most
        const goal = log.reduce((best, step) => (step.reward > best.reward ? step : best)).next;
        const counts = countsOf(
          setting,
          log.map((step) => ({ ...step, isTerminal: false })),
        );
        const model = estimated(counts, setting, (pair) => (Math.floor(pair / actions) === goal ? 0 : -1e3));
        const seen = Array.from({ length: states }, (_, state) => state).filter((state) =>
          counts.taken.slice(state * actions, (state + 1) * actions).some((n) => n > 0),
        );
        const choice = filled(states);
        for (const from of seen) {
          const far = Math.max(distance(phi, from, goal, dims), 1e-9);
          const along = (state: number) => {
            let sum = 0;
            for (let k = 0; k < dims; k++)
              sum += (phi[state * dims + k] * (phi[goal * dims + k] - phi[from * dims + k])) / far;
            return sum;
          };
          const directed = {
            ...model,
            outcomes: model.outcomes.map((row, pair) =>
              row.map((each) =>
                each.next < 0
                  ? each
                  : { ...each, reward: along(each.next) - along(Math.floor(pair / actions)) },
              ),
            ),
          };
          choice[from] = greedyPolicy(valueIteration(directed, near, { tolerance: 0.01 }).q, actions)(
            from,
            0,
          );
        }
        return { phi, choice };
      },
      ({ choice }) =>
        (state) =>
          choice[state],
    ),
});
