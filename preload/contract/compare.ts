import { z } from 'zod';
import { call, real } from './define.ts';

const id = z.string().min(1);

/**
 * One policy's evaluation; the engine writes it as the result `evaluation`. Rates are fractions; intervals
 * are 95 %.
 */
export const PolicyEvaluation = z.strictObject({
  step: real,
  problems: real,
  samples: real,
  passAt1: real,
  passAt1Interval: z.tuple([real, real]),
  /** Unbiased pass@k for k = `samples`, and for the powers of two below it. */
  passAtK: z.array(z.strictObject({ k: real, value: real })),
  greedy: real,
  /**
   * KL(policy ‖ initial policy) for whole answers, k1 averaged over sampled answers, in nats; null where the
   * run began from random weights.
   */
  kl: real.nullable(),
  meanLength: real,
  truncated: real,
  /** Mean verifier reward, and mean of the run's own reward where that is something else. */
  gold: real,
  proxy: real.nullable(),
  /** Where problems of several levels were asked. */
  byLevel: z.array(z.strictObject({ level: real, problems: real, passAt1: real })).optional(),
});
export type PolicyEvaluation = z.infer<typeof PolicyEvaluation>;

/** One field in which specs differ. */
export const Difference = z.strictObject({ path: z.string(), values: z.array(z.unknown()) });

export const compare = {
  overview: call(
    z.strictObject({ runIds: z.array(id).min(1).max(64) }),
    z.strictObject({
      rows: z.array(
        z.strictObject({
          runId: z.string(),
          name: z.string(),
          method: z.string(),
          state: z.string(),
          evaluation: PolicyEvaluation.nullable(),
        }),
      ),
      differences: z.array(Difference),
    }),
  ),
  /** One self-contained HTML file about these runs. */
  report: call(
    z.strictObject({
      runIds: z.array(id).min(1).max(64),
      title: z.string().max(200).default('Comparison'),
      path: z.string().nullable().default(null),
    }),
    z.strictObject({ path: z.string(), html: z.string() }),
  ),
};
