/** Logged behaviour in a model of the log, and what a trajectory has yet to earn at each of its steps. */
import type { Setting } from './agent.ts';
import type { Counts } from './counts.ts';
import { drawn } from './tables.ts';

/** A trajectory by its pairs of state and action, and what it earned, discounted. */
export interface Path {
  readonly pairs: readonly number[];
  readonly earned: number;
}

/** Mean reward of a pair that was taken. */
const meanReward = ({ rewards, taken }: Counts, pair: number): number => rewards[pair] / taken[pair];

/** One episode from the start: actions and results as often as they were logged. */
export const rolledOut = (counts: Counts, { actions, discount, limit, draw, model }: Setting): Path => {
  const pairs: number[] = [];
  let [state, earned] = [model.start, 0];
  for (let t = 0; t < limit && state >= 0; t++) {
    const taken = counts.taken.slice(state * actions, (state + 1) * actions);
    if (taken.every((n) => n === 0)) break;
    const pair = state * actions + drawn(taken, draw);
    pairs.push(pair);
    earned += discount ** t * meanReward(counts, pair);
    const times = counts.nexts[pair].map(([, each]) => each);
    [state] = counts.nexts[pair][drawn(times, draw)];
  }
  return { pairs, earned };
};

/** Discounted return from each step of a trajectory on, by mean rewards. */
export const returnsToGo = (counts: Counts, pairs: readonly number[], discount: number): number[] => {
  let toGo = 0;
  return pairs
    .map((_, at) => (toGo = meanReward(counts, pairs[pairs.length - 1 - at]) + discount * toGo))
    .reverse();
};
