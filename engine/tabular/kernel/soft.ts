/** Soft values of a table, and how a policy that is best for one reward changes with it. */
import { backup } from './plan.ts';
import { reachable, type Model } from './model.ts';
import { filled, softmaxRow } from './tables.ts';

export interface SoftOptions {
  readonly discount: number;
  readonly temperature: number;
  readonly sweeps: number;
}

/** The model with other rewards of its pairs; its dynamics are the same. */
const withRewards = (model: Model, rewards: readonly number[]): Model => ({
  ...model,
  outcomes: model.outcomes.map((row, pair) => row.map((each) => ({ ...each, reward: rewards[pair] }))),
});

export interface Soft {
  /** [states × actions]: Q = r + γ·P·V, V = τ·log Σ exp(Q/τ) − τ·log A. */
  readonly q: number[];
  /** [states × actions]: exp(Q/τ), normalised. */
  readonly policy: number[];
}

/** Soft value iteration for rewards of [states × actions]; A uniform choice has the value 0 of equal rewards 0. */
export const softPolicy = (model: Model, rewards: readonly number[], options: SoftOptions): Soft => {
  const { states, actions } = model;
  const { discount, temperature, sweeps } = options;
  const known = reachable(model);
  const paid = withRewards(model, rewards);
  const values = filled(states);
  const q = filled(states * actions);
  for (let sweep = 0; sweep < sweeps; sweep++)
    for (const state of known) {
      const first = state * actions;
      let [top, sum] = [-Infinity, 0];
      for (let pair = first; pair < first + actions; pair++) {
        q[pair] = backup(paid, values, pair, discount);
        top = Math.max(top, q[pair]);
      }
      for (let pair = first; pair < first + actions; pair++) sum += Math.exp((q[pair] - top) / temperature);
      values[state] = top + temperature * Math.log(sum / actions);
    }
  const scaled = q.map((value) => value / temperature);
  const policy = filled(states * actions);
  for (const state of known)
    softmaxRow(scaled, state, actions).forEach(
      (chance, action) => (policy[state * actions + action] = chance),
    );
  return { q, policy };
};

/** x ← v + γ·(Π·P)ᵀ·x, `sweeps` terms of its Neumann series: v pushed along the policy’s own steps. */
const pushed = (
  { states, actions, outcomes }: Model,
  policy: readonly number[],
  v: readonly number[],
  { discount, sweeps }: SoftOptions,
): number[] => {
  let term = [...v];
  const sum = [...v];
  for (let k = 0; k < sweeps; k++) {
    const arriving = filled(states);
    term.forEach((weight, pair) => {
      if (weight !== 0)
        for (const { chance, next } of outcomes[pair]) if (next >= 0) arriving[next] += chance * weight;
    });
    term = policy.map((chance, pair) => discount * chance * arriving[Math.floor(pair / actions)]);
    term.forEach((each, pair) => (sum[pair] += each));
  }
  return sum;
};

/**
 * dJ/dr of [states × actions]: how the discounted return of the model’s own rewards, under the policy that is
 * softly best for `rewards`, changes with each of them. By the implicit function theorem, with the inverse as a
 * Neumann series (Gupta et al. 2023, section 4): dQ/dr solves x = 1 + γ·P·Π·x, whose adjoint is `pushed`.
 */
export const blendGradient = (model: Model, rewards: readonly number[], options: SoftOptions): number[] => {
  const { states, actions, start } = model;
  const { policy } = softPolicy(model, rewards, options);
  const starting = filled(states * actions);
  for (let action = 0; action < actions; action++)
    starting[start * actions + action] = policy[start * actions + action];
  const visits = pushed(model, policy, starting, options);
  const own = filled(states);
  const q = filled(states * actions);
  for (let sweep = 0; sweep < options.sweeps; sweep++)
    for (const state of reachable(model)) {
      let value = 0;
      for (let pair = state * actions; pair < (state + 1) * actions; pair++) {
        q[pair] = backup(model, own, pair, options.discount);
        value += policy[pair] * q[pair];
      }
      own[state] = value;
    }
  // d π(a|s)/dQ(s, b) = π(a)·(1[a = b] − π(b))/τ, so that only advantages of the own rewards remain
  const v = q.map((value, pair) => {
    const state = Math.floor(pair / actions);
    return (visits[pair] * (value - own[state])) / options.temperature;
  });
  return pushed(model, policy, v, options);
};
