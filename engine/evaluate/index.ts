export {
  agreementOver,
  cohenAgreement,
  cohenKappa,
  fleissAgreement,
  fleissKappa,
  type Agreement,
  type KappaOptions,
  type KappaWeights,
} from './agreement.ts';
export { auc, leastSquaresLine, pearson, ranks, spearman } from './association.ts';
export {
  aggregateIntervals,
  aggregatesOf,
  performanceProfile,
  probabilityOfImprovement,
  type Aggregates,
  type StratifiedOptions,
} from './comparing/aggregates.ts';
export { mcNemar, studentBound, studentTails } from './comparing/distributions.ts';
export {
  groupDifference,
  pairedMean,
  problemsNeeded,
  signFlipTest,
  studentInterval,
  winsOf,
  type MeanDifference,
  type Wins,
} from './comparing/paired.ts';
export type { Scores } from './comparing/scores.ts';
export { bradleyTerryFit, type BradleyTerryFit } from './bradley-terry.ts';
export { expectedCalibrationError, reliability, sigmoid } from './calibration.ts';
export { likeFamilies } from './like-families.ts';
export { cosineOfCounts, meanCosines, ngrams } from './likeness.ts';
export { referencesOf, selfBleu, type References } from './self-bleu.ts';
export {
  COMPARED,
  familiesFound,
  frontierOf,
  hypervolume,
  textDiversity,
  thresholds,
  type Attack,
  type FoundFamily,
  type FrontierPoint,
} from './red-team.ts';
export { davidsonFit, type DavidsonFit } from './davidson.ts';
export { continual, type Continual } from './continual.ts';
export {
  dawidSkene,
  type DawidSkeneFit,
  type DawidSkeneOptions,
  type GivenLabel,
  type ItemEstimate,
  type LabelerEstimate,
} from './dawid-skene.ts';
export { entropy, klDivergence, klEstimators, type KlEstimator } from './divergence.ts';
export { evaluatePolicy, ksUpTo, type AnswerOutcome, type ProblemOutcome } from './evaluate-policy.ts';
export { holm } from './holm.ts';
export { parameterImportance, type Importance, type ImportanceOptions } from './importance.ts';
export { atLevel, inheritance, paretoFront, retained, type Inheritance } from './inheritance.ts';
export { distancesOf, mantelTest, type MantelOptions } from './mantel.ts';
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
export { krippendorffAgreement, krippendorffAlpha, type AlphaMetric, type Ratings } from './krippendorff.ts';
export {
  driftOf,
  goldAgreement,
  paceOf,
  positionBias,
  selfAgreement,
  type Decision,
  type Drift,
  type Pace,
  type PositionBias,
  type Rate,
} from './labelers.ts';
export {
  binEdges,
  binOf,
  deviation,
  histogram,
  mean,
  quantile,
  sum,
  variance,
  weightedMean,
} from './moments.ts';
export {
  bestOfN,
  pressureFit,
  pressureGain,
  pressurePeak,
  type BestOfN,
  type PressureCoefficients,
  type PressureFit,
  type PressureForm,
  type ProxyAnswers,
} from './overoptimization.ts';
export {
  bestOfNKl,
  expectedMaximum,
  goodhart,
  majorityVote,
  normalCdf,
  passAtK,
  zeroVarianceShare,
} from './sampling.ts';
export { slicedWasserstein, wasserstein, type SlicedOptions } from './transport.ts';
export { fitSaturating, saturatingAt, type SaturatingCurve, type SaturatingFit } from './saturating.ts';
export { firstErrorShares, type FirstErrorShares, type LocatedError } from './first-error.ts';
