/** Counts of what each action led to, the model that they estimate, and when they have changed enough. */
import type { Setting, Transition } from './agent.ts';
import type { Model, Outcome } from './model.ts';
import { filled } from './tables.ts';

/** Plain data, part of an agent’s memory. */
export interface Counts {
  /** [states × actions]: times that it was taken. */
  readonly taken: number[];
  /** [states × actions]: sum of rewards. */
  readonly rewards: number[];
  /** [states × actions]: [next, times], next −1 where the episode ended. */
  readonly nexts: [next: number, times: number][][];
}

export const newCounts = ({ states, actions }: Pick<Setting, 'states' | 'actions'>): Counts => ({
  taken: filled(states * actions),
  rewards: filled(states * actions),
  nexts: Array.from({ length: states * actions }, () => []),
});

/** Adds a step. Returns true if the count of its pair reached a power of two: the time for another plan. */
export const counted = (
  counts: Counts,
  actions: number,
  { state, action, reward, next, isTerminal }: Omit<Transition, 'snapshot' | 'isLast'>,
): boolean => {
  const pair = state * actions + action;
  const to = isTerminal ? -1 : next;
  counts.rewards[pair] += reward;
  const known = counts.nexts[pair].find(([each]) => each === to);
  if (known) known[1]++;
  else counts.nexts[pair].push([to, 1]);
  const taken = ++counts.taken[pair];
  return Number.isInteger(Math.log2(taken));
};

/**
 * Maximum-likelihood dynamics, with `bonus` added to the mean reward of each pair. A pair that was never taken
 * ends the episode with the reward `unseen(pair)`.
 */
export const estimated = (
  counts: Counts,
  { states, actions, model }: Pick<Setting, 'states' | 'actions' | 'model'>,
  unseen: (pair: number) => number,
  bonus: (pair: number) => number = () => 0,
): Model => ({
  states,
  actions,
  start: model.start,
  outcomes: counts.nexts.map((nexts, pair): Outcome[] => {
    const taken = counts.taken[pair];
    if (taken === 0) return [{ chance: 1, next: -1, reward: unseen(pair) }];
    const reward = counts.rewards[pair] / taken + bonus(pair);
    return nexts.map(([next, times]) => ({ chance: times / taken, next, reward }));
  }),
});

/** 1/√n of a state’s visits, the bonus of counts (Bellemare et al. 2016, arXiv:1606.01868). */
export const countBonus = (visits: number): number => 1 / Math.sqrt(Math.max(1, visits));
