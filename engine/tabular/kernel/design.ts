/** A teacher that designs rewards: few, telling, and without a change of what is best. */
import { reachable, type Model } from './model.ts';
import { backup, occupancy, greedyPolicy, valueIteration } from './plan.ts';
import { filled, largest } from './tables.ts';

const near = 1e-7;

/** Rewards of pairs added to those of the model. */
export const withBonus = (model: Model, bonus: readonly number[]): Model => ({
  ...model,
  outcomes: model.outcomes.map((row, pair) =>
    row.map((each) => ({ ...each, reward: each.reward + bonus[pair] })),
  ),
});

/** True for the pairs whose action is best. */
export const bestPairs = (model: Model, discount: number): boolean[] => {
  const { q } = valueIteration(model, discount);
  return q.map((value, pair) => {
    const state = Math.floor(pair / model.actions);
    return model.outcomes[pair].length > 0 && value >= largest(q, state, model.actions) - near;
  });
};

/** True if every action that is best with the bonus is best without it. */
export const isInvariant = (
  best: readonly boolean[],
  model: Model,
  bonus: readonly number[],
  discount: number,
): boolean => bestPairs(withBonus(model, bonus), discount).every((isBest, pair) => !isBest || best[pair]);

/**
 * Σ over all states of the gap, in the sum of rewards of the next h steps, between the best and the other
 * actions; each gap counts up to `cap` only, so that one telling state is no substitute for many.
 */
const informativeness = (model: Model, best: readonly boolean[], horizon: number, cap: number): number => {
  const { states, actions } = model;
  const known = reachable(model);
  let values = filled(states);
  let q = filled(states * actions);
  for (let left = 0; left < horizon; left++) {
    q = q.map((_, pair) => backup(model, values, pair, 1));
    const now = q;
    // the best policy’s own sums, as the paper’s h-step optimality gap compares with it
    values = values.map((_, state) =>
      Math.max(
        0,
        ...now
          .slice(state * actions, (state + 1) * actions)
          .filter((__, action) => best[state * actions + action]),
      ),
    );
  }
  return known.reduce((sum, state) => {
    const pairs = Array.from({ length: actions }, (_, action) => state * actions + action);
    const others = pairs.filter((pair) => !best[pair]).map((pair) => q[pair]);
    if (others.length === 0) return sum;
    const gap = Math.max(...pairs.filter((pair) => best[pair]).map((pair) => q[pair])) - Math.max(...others);
    return sum + Math.min(gap, cap);
  }, 0);
};

/**
 * Payments of [states × actions] in a few states of the best way: a reward for the best actions or, where that
 * would change what is best, a charge for the others. Each state adds most to the informativeness of those left
 * (greedy selection as in Devidze et al. 2021, with payments of one size).
 */
export const designed = (
  model: Model,
  options: {
    readonly discount: number;
    readonly states: number;
    readonly horizon: number;
    readonly pay: number;
  },
): number[] => {
  const { actions } = model;
  const { discount, states: most, horizon, pay } = options;
  const best = bestPairs(model, discount);
  const visits = occupancy(
    model,
    greedyPolicy(valueIteration(model, discount).q, actions),
    discount,
    model.states,
  );
  const stateOf = (pair: number): number => Math.floor(pair / actions);
  let bonus = filled(model.states * actions);
  const left = new Set(visits.flatMap((each, pair) => (each > 0 ? [stateOf(pair), -stateOf(pair) - 1] : [])));
  for (let round = 0; round < most; round++) {
    // a state by its number is paid for its best actions, by −1 − its number charged for the others
    const tried = [...left].map((key) => {
      const [state, paid] = key < 0 ? [-key - 1, -pay] : [key, pay];
      const next = bonus.map((each, pair) =>
        stateOf(pair) === state && best[pair] === paid > 0 ? each + paid : each,
      );
      return { key, state, next, score: informativeness(withBonus(model, next), best, horizon, pay) };
    });
    const found = tried
      .toSorted((a, b) => b.score - a.score)
      .find(({ key, next }) => {
        // a charge for what is not best never makes it best
        const isKept = key < 0 || isInvariant(best, model, next, discount);
        if (!isKept) left.delete(key);
        return isKept;
      });
    if (!found) break;
    bonus = found.next;
    left.delete(found.state);
    left.delete(-found.state - 1);
  }
  return bonus;
};

/** `size` for the action that a heuristic pays for in each state: the best one, or the worst in a share of states. */
export const heuristicOf = (
  model: Model,
  discount: number,
  misleading: number,
  size: number,
  draw: { next(): number },
): number[] => {
  const { states, actions } = model;
  const { q } = valueIteration(model, discount);
  const pays = filled(states * actions);
  for (const state of reachable(model)) {
    const row = q.slice(state * actions, (state + 1) * actions);
    const paid = draw.next() < misleading ? row.indexOf(Math.min(...row)) : row.indexOf(Math.max(...row));
    pays[state * actions + paid] = size;
  }
  return pays;
};
