export { cohenKappa, fleissKappa } from './agreement.ts';
export { auc, leastSquaresLine, pearson, ranks, spearman } from './association.ts';
export { bradleyTerryFit, type BradleyTerryFit } from './bradley-terry.ts';
export { expectedCalibrationError, reliability, sigmoid, type ReliabilityBin } from './calibration.ts';
export { entropy, klDivergence, klEstimators, type KlEstimator } from './divergence.ts';
export {
  evaluatePolicy,
  ksUpTo,
  type AnswerOutcome,
  type PolicyMeasures,
  type ProblemOutcome,
} from './evaluate-policy.ts';
export { inspectPairs, type PairInspection, type ScoredAnswer, type ScoredPair } from './inspect-pairs.ts';
export {
  bootstrap,
  clusteredMeanInterval,
  clusteredRateInterval,
  clustersOf,
  meanInterval,
  pairedDifference,
  wilson,
  type BootstrapOptions,
  type Cluster,
  type Interval,
} from './intervals.ts';
export { binEdges, binOf, deviation, histogram, mean, quantile, sum, variance, type Bin } from './moments.ts';
export {
  bestOfNKl,
  expectedMaximum,
  goodhart,
  majorityVote,
  normalCdf,
  passAtK,
  zeroVarianceShare,
} from './sampling.ts';
