export { cohenKappa, fleissKappa } from './agreement.ts';
export { auc, leastSquaresLine, pearson, ranks, spearman } from './association.ts';
export { bradleyTerryFit, type BradleyTerryFit } from './bradley-terry.ts';
export { expectedCalibrationError, reliability, sigmoid } from './calibration.ts';
export { entropy, klDivergence, klEstimators, type KlEstimator } from './divergence.ts';
export { evaluatePolicy, ksUpTo, type AnswerOutcome, type ProblemOutcome } from './evaluate-policy.ts';
export { inspectPairs, type ScoredAnswer, type ScoredPair } from './inspect-pairs.ts';
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
} from './intervals.ts';
export { binEdges, binOf, deviation, histogram, mean, quantile, sum, variance } from './moments.ts';
export {
  bestOfNKl,
  expectedMaximum,
  goodhart,
  majorityVote,
  normalCdf,
  passAtK,
  zeroVarianceShare,
} from './sampling.ts';
