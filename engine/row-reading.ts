/** Reading and examining rows of data, without models and methods: quick to load for the threads that do it. */
export { readColumns, readDataset } from './data/read.ts';
export {
  confidentLearning,
  examine,
  lengthHistogram,
  splitSide,
  verdictBaselines,
  type Diagnosis,
  type SplitSide,
} from './data/doctor/index.ts';
export { fitHead } from './labeling/head.ts';
export { textFeatures } from './labeling/text-features.ts';
