export type { Column } from './columns.ts';
export { Doctor, type DataRow, type Findings } from './doctor.ts';
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
export { splitOf } from './split.ts';
export { writeJsonLines } from './write.ts';
