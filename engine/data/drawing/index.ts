/** Rows of splits, mixtures and samples, drawn from a seed. */
export { allocate } from './allocate.ts';
export {
  drawMixture,
  mixtureShares,
  rowsWithoutRepeats,
  type MixtureDraws,
  type MixtureShare,
  type MixtureSource,
} from './mixture.ts';
export { assignParts, type Part, type SplitRow } from './parts.ts';
export { sampleOfStrata, strataCounts, type Allocation } from './strata.ts';
