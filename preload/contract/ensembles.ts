import * as z from 'zod';
import { Interval } from '../../engine/schema/evaluation.ts';
import { float64s, real } from './define.ts';

/** Most reward models of an ensemble besides the own one. */
export const mostOthers = 16;

/** Runs of other reward models. */
export const OtherJudges = z.array(z.string().min(1)).max(mostOthers);

const Rate = z.strictObject({ accuracy: real, interval: Interval });

/** Several reward models on the pairs that all were inspected on, by their standardised margins. */
export const EnsembleReport = z.strictObject({
  /** Shared pairs with a preferred answer. */
  pairs: real,
  /** The judges, the own one first: accuracy with its 95 % interval, and the deviation of their margins from 0. */
  judges: z.array(
    z.strictObject({ id: z.string(), name: z.string(), rate: Rate.nullable(), deviation: real.nullable() }),
  ),
  /** Of the mean margin; null without shared pairs. */
  ensemble: Rate.nullable(),
  /** Rank correlation (Spearman) of the disagreement with being wrong of the mean margin; null if undefined. */
  correlation: real.nullable(),
  /** Pairs that not all judges put into the same order. */
  disputed: real,
  /** Positions of the shared pairs, and the standard deviation of their margins over judges. */
  positions: float64s,
  spread: float64s,
});
export type EnsembleReport = z.infer<typeof EnsembleReport>;

/** Several judges on one pair: mean margin, its standard deviation, and the share against the majority. */
export const PairEnsemble = z.strictObject({ margin: real, spread: real, dissent: real });
export type PairEnsemble = z.infer<typeof PairEnsemble>;
