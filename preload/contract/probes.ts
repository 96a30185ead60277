import * as z from 'zod';
import { Interval } from '../../engine/schema/evaluation.ts';
import { feed, real } from './define.ts';

/** The effect of an edit on the scores of held-out answers. */
export const ProbeResult = z.strictObject({
  id: z.string(),
  title: z.string(),
  summary: z.string(),
  /** `same`: the score must not move. `lower`: it must fall. */
  expects: z.enum(['same', 'lower']),
  /** Answers that the edit applied to and that were scored; edited ones that the judge cannot read. */
  n: real,
  unread: real,
  /** Null with fewer than two scored answers. */
  effect: z
    .strictObject({
      /** Mean change in deviations of the scores, with its 95 % interval. */
      mean: real,
      interval: Interval,
      /** Share of answers whose score fell. */
      fell: real,
      verdict: z.enum(['passed', 'failed', 'unclear']),
    })
    .nullable(),
});
export type ProbeResult = z.infer<typeof ProbeResult>;

export const ProbeReport = z.strictObject({
  /** Held-out answers that were edited. */
  answers: real,
  probes: z.array(ProbeResult),
});
export type ProbeReport = z.infer<typeof ProbeReport>;

export const probes = {
  /**
   * Scores edits of the preferred answers of held-out pairs, at most `most` of them, evenly chosen. The last
   * value has the report; closing the feed cancels the work.
   */
  run: feed(
    z.strictObject({ runId: z.string().min(1), most: z.int().min(2).max(10_000).default(300) }),
    z.strictObject({ done: z.number(), total: z.number(), report: ProbeReport.nullable() }),
  ),
};
