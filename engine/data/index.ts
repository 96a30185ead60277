export type { Column } from './columns.ts';
export { Doctor, type DataRow, type Findings } from './doctor.ts';
export * from './doctor/index.ts';
export * from './drawing/index.ts';
export { hashFraction, normalisePrompt, promptIdOf } from '../random/hash.ts';
export { correctnessPairs } from './pairs.ts';
export {
  readColumns,
  readDataset,
  type ColumnExample,
  type ReadEvent,
  type ReadOptions,
  type RejectedLine,
} from './read.ts';
export { openSource } from './sources/index.ts';
export * from './labels/index.ts';
export { splitOf } from './split.ts';
export {
  encoded,
  pairsOfPrompt,
  Tally,
  writers,
  type AnswerItem,
  type AnswerMode,
  type ExportItem,
  type PairItem,
  type Writer,
} from './writers/index.ts';
export { writeJsonLines } from './write.ts';
