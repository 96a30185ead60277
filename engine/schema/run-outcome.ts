/** What a run's stored results come to: its headline number, and signs that it went wrong. */
import * as z from 'zod';
import { Interval } from './evaluation.ts';
import { real } from './real.ts';

/**
 * The newest result of a run: pass@1 of a policy, the accuracy of a reward model (of a policy that is only
 * compared with pairs: of its implicit reward) on held-out pairs, or the mean return of episodes, which has
 * no bounds.
 */
export const RunOutcome = z.strictObject({
  measure: z.enum(['pass@1', 'accuracy', 'return']),
  value: real,
  /** Null for the return of a single episode. */
  interval: Interval.nullable(),
  /** KL(policy ‖ initial policy) in nats; null where it was not measured. */
  kl: real.nullable(),
  step: z.number(),
});
export type RunOutcome = z.infer<typeof RunOutcome>;

/** A sign that a run went wrong, derived from its stored results. */
export const RunWarning = z.strictObject({
  kind: z.enum(['not-finite', 'over-optimization', 'decline']),
  /** What happened and what to do, in sentences. */
  text: z.string(),
});
export type RunWarning = z.infer<typeof RunWarning>;
