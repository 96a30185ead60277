/** Fitted models and in-sample values of a log. */
import type { Setting } from './agent.ts';
import { counted, estimated, newCounts, type Counts } from './counts.ts';
import type { Logged } from './logged.ts';
import { valueIteration, type Plan } from './plan.ts';

export const countsOf = (setting: Setting, log: readonly Omit<Logged, 'episode' | 'isLast'>[]): Counts => {
  const counts = newCounts(setting);
  for (const step of log) counted(counts, setting.actions, step);
  return counts;
};

/** Value iteration over the actions that the log has taken; those that it has not are worth −`worst`. */
export const inSamplePlan = (setting: Setting, counts: Counts, worst = 1e3): Plan =>
  valueIteration(
    estimated(counts, setting, () => -worst),
    setting.discount,
    { tolerance: 1e-6 },
  );
