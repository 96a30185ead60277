/** One-step Q-learning on a table, for agents that shape rewards or choose where data comes from. */
import type { Setting, Transition } from './agent.ts';
import { largest } from './tables.ts';

/**
 * Moves Q(s, a) towards r + γ·max Q(s′) by `rate` (Watkins 1989). Returns the error before the move. `reward` may
 * differ from the world’s.
 */
export const improve = (
  q: number[],
  { actions, discount }: Pick<Setting, 'actions' | 'discount'>,
  step: Pick<Transition, 'state' | 'action' | 'next' | 'isTerminal'>,
  reward: number,
  rate: number,
): number => {
  const pair = step.state * actions + step.action;
  const error = reward + (step.isTerminal ? 0 : discount * largest(q, step.next, actions)) - q[pair];
  q[pair] += rate * error;
  return error;
};
