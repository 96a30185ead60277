import * as z from 'zod';
import { call, feed, float64s, real } from './define.ts';

const id = z.string().min(1);
const runId = z.strictObject({ runId: id });

/** The answer of a pair. */
export const PairSide = z.enum(['chosen', 'rejected']);
export type PairSide = z.infer<typeof PairSide>;

/** The map of a judge: each pair's chosen and rejected answer by their representations. */
export const JudgeMap = z.strictObject({
  /** When it was computed. */
  at: real,
  /** Reason that it may not be of the judge as it is now: other files, no files, or nothing. */
  stale: z.enum(['files', 'deleted']).nullable(),
  /** Pairs of the inspection; distinct answers on the map; those that exceed the context and were cut. */
  pairs: real,
  answers: real,
  cut: real,
  /** Numbers of a representation, and the share of the variance that each axis holds. */
  width: real,
  explained: z.tuple([real, real]),
  /** Position of each pair on the map, its margin, and 1, ½ or 0 for a right, equal or wrong order; NaN: none. */
  positions: float64s,
  margins: float64s,
  hits: float64s,
  /** Place and score of each point: pair by pair, first the chosen answer, then the rejected one. */
  x: float64s,
  y: float64s,
  scores: float64s,
});
export type JudgeMap = z.infer<typeof JudgeMap>;

/** An answer near another one. */
export const NearAnswer = z.strictObject({
  /** A pair that it belongs to. */
  position: z.number(),
  side: PairSide,
  /** Cosine of the angle between the two representations. */
  cosine: real,
  score: real,
  prompt: z.string(),
  answer: z.string(),
  /** `self`: the answer itself. `pair`: the other answer of its pair. */
  is: z.enum(['self', 'pair', 'other']),
});
export type NearAnswer = z.infer<typeof NearAnswer>;

/** Maps of the representations of judges. */
export const judgeMaps = {
  /** The newest map of a run's judge; null without one for the pairs of its inspection. */
  stored: call(runId, JudgeMap.nullable()),
  /**
   * Reads at most `most` pairs, evenly chosen, and stores their map. The last share is 1. Closing the feed
   * cancels the work.
   */
  compute: feed(
    runId.extend({ most: z.int().min(1).max(4000).default(4000) }),
    z.strictObject({ share: real }),
  ),
  /** An answer on the stored map, and the nearest ones by the cosine of their representations. */
  near: call(runId.extend({ position: z.int().min(0), side: PairSide }), z.array(NearAnswer)),
};
