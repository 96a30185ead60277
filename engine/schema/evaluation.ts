/**
 * Results of evaluations. The engine computes these values, the store keeps them as results of a run, and
 * pages, reports and commands read them: fields are only ever added, as optional ones.
 */
import * as z from 'zod';
import { CellCoverage, LatentEpisodes } from './coverage.ts';
import { LatentAnswers } from './latent-answers.ts';
import { real } from './real.ts';

/** Lower and upper bound of a 95 % interval. */
export const Interval = z.tuple([real, real]);
export type Interval = z.infer<typeof Interval>;

/** A policy on held-out problems. Rates are fractions, lengths are in tokens. */
export const PolicyEvaluation = z.strictObject({
  step: real,
  problems: real,
  /** Sampled answers per problem. */
  samples: real,
  passAt1: real,
  passAt1Interval: Interval,
  /** Unbiased pass@k for k = `samples`, and for the powers of two below it. */
  passAtK: z.array(z.strictObject({ k: real, value: real })),
  /** Different texts among the right ones of a problem's answers, averaged over problems. */
  distinctRight: real.optional(),
  /** Share of problems that the greedy answer solves. */
  greedy: real,
  /**
   * KL(policy ‖ initial policy) for whole answers, k1 averaged over sampled answers, in nats; null where the
   * run began from random weights.
   */
  kl: real.nullable(),
  meanLength: real,
  /** Share of answers that did not end within the token limit. */
  truncated: real,
  /** Mean verifier reward, and mean of the run's own reward where that is something else. */
  gold: real,
  proxy: real.nullable(),
  /** pass@1 at each level, easiest first, if the problems have several levels. */
  byLevel: z.array(z.strictObject({ level: real, problems: real, passAt1: real })).optional(),
  /** Answers to the first problems with their latents, of a policy that reads one with each. */
  latents: LatentAnswers.optional(),
});
export type PolicyEvaluation = z.infer<typeof PolicyEvaluation>;

/** Values counted in a bin. */
export const Bin = z.strictObject({ from: real, to: real, n: real });
export type Bin = z.infer<typeof Bin>;

/** A bin of a reliability diagram: mean confidence and share of hits. */
export const ReliabilityBin = Bin.extend({ confidence: real, accuracy: real });
export type ReliabilityBin = z.infer<typeof ReliabilityBin>;

/** Accuracy of two rules that look at length alone. */
const Baselines = z.strictObject({ longest: real, shortest: real });

/** A reward model on held-out pairs. */
export const RewardInspection = z.strictObject({
  pairs: real,
  accuracy: real,
  accuracyInterval: Interval,
  /** Expected calibration error of σ(margin), in 10 equal-width bins. */
  ece: real,
  reliability: z.array(ReliabilityBin),
  /** Pearson correlation of score and answer length in tokens, over held-out answers. */
  lengthCorrelation: real,
  scores: z.array(z.strictObject({ from: real, to: real, correct: real, wrong: real, unmarked: real })),
  margins: z.array(Bin),
  /** Accuracy by slice of the pairs, each with n and interval; slices overlap. */
  slices: z.array(z.strictObject({ name: z.string(), n: real, accuracy: real, interval: Interval })),
  baselines: Baselines,
  /** Score = intercept + slope · tokens, least squares; used by the length-debiased reward. */
  lengthFit: z.strictObject({ intercept: real, slope: real }),
});
export type RewardInspection = z.infer<typeof RewardInspection>;

/** Further evaluations of a run, each with its measures; an interval only where the measure has one. */
export const FurtherEvaluations = z.strictObject({
  step: real,
  evaluations: z.array(
    z.strictObject({
      name: z.string(),
      measures: z.array(z.strictObject({ name: z.string(), value: real, interval: Interval.nullable() })),
    }),
  ),
});
export type FurtherEvaluations = z.infer<typeof FurtherEvaluations>;

/** A policy on whole episodes of a control world. */
export const EpisodeEvaluation = z.strictObject({
  step: real,
  episodes: real,
  /** Mean undiscounted return, with Student's interval over the episodes; null for one episode. */
  return: real,
  returnInterval: Interval.nullable(),
  /** Standard deviation of the return of one episode, and mean length in steps. */
  deviation: real,
  length: real,
  /**
   * By chart of the run: share of episodes that complete its order, with Wilson's interval, and mean
   * progress.
   */
  charts: z
    .array(z.strictObject({ name: z.string(), complete: real, completeInterval: Interval, progress: real }))
    .optional(),
  /**
   * The first episodes as they were observed, start to end, [episode][step][observation]; of a run with
   * charts.
   */
  trajectories: z.array(z.array(z.array(real))).optional(),
  /** Where it went, in a world whose states lie on a map. */
  coverage: CellCoverage.optional(),
  /** The first episodes with their latents, of a policy that reads one. */
  latents: LatentEpisodes.optional(),
});
export type EpisodeEvaluation = z.infer<typeof EpisodeEvaluation>;

/** A policy's implicit reward on held-out pairs: how often the preferred answer gained more. */
export const PreferenceEvaluation = z.strictObject({
  pairs: real,
  accuracy: real,
  accuracyInterval: Interval,
  baselines: Baselines,
  /** Mean of the implicit reward's difference, in units of β. */
  rewardMargin: real,
});
export type PreferenceEvaluation = z.infer<typeof PreferenceEvaluation>;
