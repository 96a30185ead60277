/** A few steps of fitted Q-iteration on the values of random behaviour, for one time step of an episode. */
import type { Setting } from './agent.ts';
import { estimated, newCounts, type Counts } from './counts.ts';
import { backup } from './plan.ts';
import { filled, largest } from './tables.ts';

/** What was seen k steps long from one time step on. Plain data, part of an agent’s memory. */
export interface Stage {
  /** Episodes. */
  seen: number;
  /** [k]: what actions led to at each of the steps. */
  readonly ahead: readonly Counts[];
  /** [states × actions]: sum of what random behaviour earned from the last of the steps on. */
  readonly toGo: number[];
}

export const newStage = (setting: Setting, k: number): Stage => ({
  seen: 0,
  ahead: Array.from({ length: k }, () => newCounts(setting)),
  toGo: filled(setting.states * setting.actions),
});

/** Value of an action that was not seen: below all others, and finite, so that it can be saved. */
const UNSEEN = -1e300;

/** [states × actions]: Q of the first step, by averages: random behaviour’s at the last, then k − 1 backups. */
export const lookahead = ({ ahead, toGo }: Stage, setting: Setting): number[] => {
  const { states, actions } = setting;
  const { taken } = ahead[ahead.length - 1];
  let q = toGo.map((sum, pair) => (taken[pair] === 0 ? UNSEEN : sum / taken[pair]));
  for (const counts of ahead.slice(0, -1).toReversed()) {
    const values = Array.from({ length: states }, (_, state) => largest(q, state, actions));
    const model = estimated(counts, setting, () => UNSEEN);
    // a state that was reached and not left again earned nothing more
    const known = values.map((value) => (value === UNSEEN ? 0 : value));
    q = q.map((_, pair) => backup(model, known, pair, 1));
  }
  return q;
};
