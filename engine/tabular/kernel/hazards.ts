/** States that count as a violation, and values of the worst violation ahead. */
import type { RandomStream } from '../../random/random.ts';
import { reachable, type Model } from './model.ts';
import { filled } from './tables.ts';

/** True if a reward above 0 can be earned from the start without entering a hazard. */
const isPassable = ({ start, actions, outcomes }: Model, hazards: ReadonlySet<number>): boolean => {
  const queue = [start];
  const seen = new Set(queue);
  for (const state of queue)
    for (const { next, reward } of outcomes.slice(state * actions, (state + 1) * actions).flat()) {
      if (reward > 0 && !hazards.has(next)) return true;
      if (next < 0 || seen.has(next) || hazards.has(next)) continue;
      seen.add(next);
      queue.push(next);
    }
  return false;
};

/** A share of the states, never the start, drawn so that a safe way to a reward remains. */
export const hazardsOf = (model: Model, part: number, draw: RandomStream): number[] => {
  const every = reachable(model);
  const found = new Set<number>();
  for (const state of draw.shuffle(every.filter((each) => each !== model.start))) {
    if (found.size >= Math.round(part * every.length)) break;
    found.add(state);
    if (!isPassable(model, found)) found.delete(state);
  }
  return [...found].toSorted((a, b) => a - b);
};

/**
 * Q of [states × actions] of the worst violation ahead: (1 − γ)·h(s) + γ·max(h(s), V(s′)), h = 1 in a hazard
 * and −1 elsewhere, for the worst s′ that `model` knows; V is the least Q of the pairs in `known`. Above 0: a
 * hazard that no known action avoids, if fewer than log ½ / log γ steps ahead. An end is safe.
 */
export const worstAhead = (
  { states, actions, outcomes }: Model,
  known: (pair: number) => boolean,
  hazards: readonly number[],
  discount: number,
): number[] => {
  const h = filled(states, -1);
  for (const state of hazards) h[state] = 1;
  const q = filled(states * actions, Infinity);
  // from below, where nothing is dangerous, to the fixed point of a γ-contraction
  const values = filled(states, -1);
  for (let change = 1; change > 1e-9;) {
    change = 0;
    for (let state = 0; state < states; state++) {
      let least = Infinity;
      for (let pair = state * actions; pair < (state + 1) * actions; pair++) {
        if (!known(pair)) continue;
        const worst = Math.max(...outcomes[pair].map(({ next }) => (next < 0 ? -1 : values[next])));
        q[pair] = (1 - discount) * h[state] + discount * Math.max(h[state], worst);
        least = Math.min(least, q[pair]);
      }
      if (least === Infinity) least = h[state];
      change = Math.max(change, Math.abs(least - values[state]));
      values[state] = least;
    }
  }
  return q;
};

/** Steps that a policy is expected to spend in hazards, in an episode of `limit` steps. */
export const violations = (
  visits: readonly number[],
  actions: number,
  hazards: readonly number[],
): number => {
  const dangerous = new Set(hazards);
  return visits.reduce(
    (sum, weight, pair) => sum + (dangerous.has(Math.floor(pair / actions)) ? weight : 0),
    0,
  );
};
