/** Findings about data, each with the rows behind it. */
export { verdictBaselines, type Baseline } from './baselines.ts';
export { examine, type Diagnosis, type ExamineProgress, type NearGroup, type Patient } from './examine.ts';
export { languageOf, languages, type Language } from './language.ts';
export { leakage, splitSide, type Leak, type SplitSide } from './leakage.ts';
export { lengthHistogram, type RowBin } from './lengths.ts';
export { detection, type Bands } from './min-hash.ts';
export {
  DEFAULT_BANDS,
  DEFAULT_SHINGLE,
  DEFAULT_THRESHOLD,
  documentsOf,
  finished,
  nearDuplicates,
  type DuplicateCluster,
  type DoctorProgress,
  type Documents,
  type Link,
  type NearDuplicateOptions,
  type NearDuplicates,
} from './near-duplicates.ts';
export {
  personalData,
  rowsWithPersonalData,
  type PersonalKind,
  type PersonalMatch,
  type PersonalRow,
} from './personal-data.ts';
export {
  contradictoryMarks,
  exactDuplicates,
  pairFindings,
  type AnswerFacts,
  type Group,
  type PairFacts,
  type PairFindings,
} from './rows.ts';
export {
  confidentLearning,
  type ConfidentLearning,
  type JudgedLabels,
  type Pruning,
  type WrongLabel,
} from './wrong-labels.ts';
