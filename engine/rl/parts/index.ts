/** The parts that recipes are made of. A new part is its function in a file here; a new file is one line. */
export * from './contrast.ts';
export * from './credit.ts';
export * from './imitation.ts';
export * from './margins.ts';
export * from './objectives.ts';
export * from './online.ts';
export * from './oversampling.ts';
export { hingeLoss, logisticLoss, squaredLoss } from './pairing.ts';
export * from './pairs.ts';
export * from './pairwise.ts';
export * from './policy-gradient.ts';
export * from './ratios.ts';
export * from './references.ts';
export * from './samplers.ts';
export * from './scorers.ts';
export * from './selection.ts';
export * from './unpaired.ts';
export * from './wins.ts';
