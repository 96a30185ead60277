/**
 * Optimizers as chains of pure gradient transforms, built into the training graph; schedules are computed on
 * the host.
 */
export { groupsOf, type Group } from './groups.ts';
export { lossScale, lossScaleIn, type LossScaling } from './loss-scale.ts';
export { orthogonalized, scaleByMuon } from './muon.ts';
export { learningRateAt, type Schedule } from './schedule.ts';
export {
  initialState,
  inPlaceOutputs,
  optimizerState,
  optimizerStep,
  packedState,
  type OptimizerSettings,
  type State,
  type StepInputs,
  type StepResult,
  type Trait,
} from './step.ts';
export { chain, type Context, type Term, type Transform, type Update } from './transform.ts';
export {
  addDecayedWeights,
  clipByGlobalNorm,
  globalNorm,
  momentum,
  scaleByAdam,
  scaleByLearningRate,
  scaleByLion,
} from './transforms.ts';
