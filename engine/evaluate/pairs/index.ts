export {
  answersInBar,
  byRank,
  columnsOf,
  columnValue,
  disagreementAt,
  hitAt,
  isDecided,
  lengthRatioAt,
  marginAt,
  matchingPairs,
  orderedPairs,
  pairColumns,
  sidesAt,
  verdicts,
  type PairColumn,
  type PairNumbers,
} from './columns.ts';
export { ensembleOf, type Ensemble } from './ensemble.ts';
export { inspectedPairs, type ScoredRow } from './inspected.ts';
export { normalQuantile, simultaneousWilson } from './multiplicity.ts';
export { accuracyBySlice, effectivePairs, leastEffective, leastPrompts } from './slices.ts';
export { crossFittedTemperature, fitTemperature } from './temperature.ts';
export { inspectedSlices } from '../inspect-pairs.ts';
