/** A critic of the current policy, fitted to its own returns and, by TD, to a log. */
import type { Setting } from './agent.ts';
import { estimated, type Counts } from './counts.ts';
import { backup } from './plan.ts';
import { softmaxRow } from './tables.ts';

interface Seen {
  /** [states × actions]: of the policy exp(logits). */
  readonly logits: readonly number[];
  readonly log: Counts;
  /** [states × actions]: sums of the policy’s discounted returns, and how many. */
  readonly returns: readonly number[];
  readonly visits: readonly number[];
  /** [states × actions]: Q, improved in place. */
  readonly critic: number[];
}

/**
 * Least squares of both errors, by sweeps: each value is the mean of the policy’s own returns and of the log’s
 * targets r + γ·V(s′), weighted by how often each was seen and by `weight` for the log. Returns V [states].
 */
export const fitCritic = (
  { logits, log, returns, visits, critic }: Seen,
  setting: Setting,
  { weight, sweeps }: { readonly weight: number; readonly sweeps: number },
): number[] => {
  const { states, actions, discount } = setting;
  const model = estimated(log, setting, () => 0);
  const chances = Array.from({ length: states }, (_, state) => softmaxRow(logits, state, actions));
  const valueOf = (state: number) =>
    chances[state].reduce((sum, chance, action) => sum + chance * critic[state * actions + action], 0);
  const values = Array.from({ length: states }, (_, state) => valueOf(state));
  for (let sweep = 0; sweep < sweeps; sweep++) {
    critic.forEach((_, pair) => {
      const offline = weight * log.taken[pair];
      const online = (1 - weight) * visits[pair];
      if (offline + online === 0) return;
      const seen = visits[pair] === 0 ? 0 : returns[pair] / visits[pair];
      critic[pair] = (offline * backup(model, values, pair, discount) + online * seen) / (offline + online);
    });
    values.forEach((_, state) => (values[state] = valueOf(state)));
  }
  return values;
};
