/** Planning with known dynamics: value iteration with a bound, values of a policy, distances. */
import type { Policy } from './agent.ts';
import { reachable, type Model } from './model.ts';
import { greedyAction, largest } from './tables.ts';

/** r + γ·V(s′), in expectation over the outcomes of a pair of state and action. */
export const backup = (
  { outcomes }: Model,
  values: ArrayLike<number>,
  pair: number,
  discount: number,
): number => {
  let sum = 0;
  for (const { chance, next, reward } of outcomes[pair])
    sum += chance * (reward + (next < 0 ? 0 : discount * values[next]));
  return sum;
};

export interface Plan {
  /** [states]: V. */
  readonly values: number[];
  /** [states × actions]: Q. */
  readonly q: number[];
  /** Largest |V − V*|, since a sweep is a γ-contraction: γ/(1 − γ) times the last change. */
  readonly bound: number;
  readonly sweeps: number;
}

/** Choice of `pick` over the values of a state’s actions: their maximum, unless a policy is followed. */
type Pick = (q: readonly number[], state: number) => number;

/** Sweeps of V ← pick(r + γ·PV) until the bound is at most `tolerance`, beginning from `from`. */
export const valueIteration = (
  model: Model,
  discount: number,
  {
    tolerance = 1e-9,
    from,
    most = Infinity,
    pick,
  }: {
    readonly tolerance?: number;
    readonly from?: readonly number[];
    /** Values above it are cut to it. */
    readonly most?: number;
    readonly pick?: Pick;
  } = {},
): Plan => {
  const { states, actions } = model;
  const known = reachable(model);
  const values = from ? [...from] : new Array<number>(states).fill(0);
  const q = new Array<number>(states * actions).fill(0);
  const choose: Pick = pick ?? ((table, state) => largest(table, state, actions));
  for (let sweeps = 1; ; sweeps++) {
    let change = 0;
    // values are updated in place: a Gauss–Seidel sweep, which is a γ-contraction as well
    for (const state of known) {
      for (let pair = state * actions; pair < (state + 1) * actions; pair++)
        q[pair] = Math.min(most, backup(model, values, pair, discount));
      const value = choose(q, state);
      change = Math.max(change, Math.abs(value - values[state]));
      values[state] = value;
    }
    const bound = (discount / (1 - discount)) * change;
    if (bound <= tolerance || sweeps >= 100_000) return { values, q, bound, sweeps };
  }
};

/** Values of a policy that looks at the state alone, by the same sweeps. */
export const policyValues = (model: Model, policy: Policy, discount: number): number[] =>
  valueIteration(model, discount, {
    pick: (q, state) => q[state * model.actions + policy(state, 0)],
  }).values;

/** The greedy policy of a table of [states × actions]; the first action on a tie. */
export const greedyPolicy =
  (q: readonly number[], actions: number): Policy =>
  (state) =>
    greedyAction(q, state, actions);

/** Σ γᵗ·P(sₜ, aₜ) of each pair, from the start and under a policy that looks at the state alone. */
export const occupancy = (model: Model, policy: Policy, discount: number, limit: number): number[] => {
  const { states, actions, start, outcomes } = model;
  const found = new Array<number>(states * actions).fill(0);
  let there = new Map([[start, 1]]);
  for (let t = 0; t < limit && there.size > 0; t++) {
    const ahead = new Map<number, number>();
    for (const [state, weight] of there) {
      const pair = state * actions + policy(state, 0);
      found[pair] += weight;
      for (const { chance, next } of outcomes[pair])
        if (next >= 0) ahead.set(next, (ahead.get(next) ?? 0) + discount * weight * chance);
    }
    there = ahead;
  }
  return found;
};

/** Least number of steps from each state to `goal`, by whichever actions; Infinity if there is no way. */
export const stepsTo = ({ states, actions, outcomes }: Model, goal: number): number[] => {
  const before = Array.from({ length: states }, (): number[] => []);
  outcomes.forEach((row, pair) =>
    row.forEach(({ next }) => void (next >= 0 && before[next].push(Math.floor(pair / actions)))),
  );
  const found = new Array<number>(states).fill(Infinity);
  found[goal] = 0;
  const queue = [goal];
  for (const state of queue)
    for (const earlier of before[state]) {
      if (found[earlier] < Infinity) continue;
      found[earlier] = found[state] + 1;
      queue.push(earlier);
    }
  return found;
};

/**
 * The least k for which greedy choices by k − 1 Bellman backups of the random policy’s values reach the optimum
 * from the start, within episodes of `limit` steps (Laidlaw et al. 2024, arXiv:2312.08369). The policy of k = 1 is
 * greedy on the random policy’s own Q.
 */
export const leastLookahead = (model: Model, limit: number): number => {
  const { states, actions, start } = model;
  const known = reachable(model);
  const levels = (pick: Pick): number[][] => {
    const rows: number[][] = [new Array<number>(states).fill(0)];
    const q = new Array<number>(states * actions).fill(0);
    for (let left = 1; left <= limit; left++) {
      const values = new Array<number>(states).fill(0);
      for (const state of known) {
        for (let pair = state * actions; pair < (state + 1) * actions; pair++)
          q[pair] = backup(model, rows[left - 1], pair, 1);
        values[state] = pick(q, state);
      }
      rows.push(values);
    }
    return rows;
  };
  const best = levels((q, state) => largest(q, state, actions));
  let ahead = levels((q, state) => {
    let sum = 0;
    for (let action = 0; action < actions; action++) sum += q[state * actions + action];
    return sum / actions;
  });
  for (let k = 1; k < limit; k++) {
    // `ahead[left]`: value with `left` steps to go of k − 1 greedy steps and then random ones
    const reached = reachedBy(model, ahead, limit);
    if (reached >= best[limit][start] - 1e-12) return k;
    ahead = ahead.map((values, left) =>
      left === 0 ? values : values.map((_, state) => bestBackup(model, ahead[left - 1], state)),
    );
  }
  return limit;
};

/** The best r + V(s′) of a state; 0 where no action leads anywhere. */
const bestBackup = (model: Model, values: readonly number[], state: number): number => {
  if (model.outcomes[state * model.actions].length === 0) return 0;
  let best = -Infinity;
  for (let pair = state * model.actions; pair < (state + 1) * model.actions; pair++)
    best = Math.max(best, backup(model, values, pair, 1));
  return best;
};

/** Return from the start of the worst policy that is greedy on a backup of `ahead` at every step. */
const reachedBy = (model: Model, ahead: readonly (readonly number[])[], limit: number): number => {
  const { actions } = model;
  let values = new Array<number>(model.states).fill(0);
  for (let left = 1; left <= limit; left++) {
    values = values.map((_, state) => {
      if (model.outcomes[state * actions].length === 0) return 0;
      const top = bestBackup(model, ahead[left - 1], state);
      let worst = Infinity;
      for (let pair = state * actions; pair < (state + 1) * actions; pair++)
        if (backup(model, ahead[left - 1], pair, 1) >= top - 1e-12)
          worst = Math.min(worst, backup(model, values, pair, 1));
      return worst;
    });
  }
  return values[model.start];
};
