/** Optimizers as chains of pure gradient transforms, built into the training graph; schedules are computed on the host. */
export { learningRateAt, type Schedule } from './schedule.ts';
export { initialState, inPlaceOutputs, optimizerState, optimizerStep, type OptimizerSettings, type State, type StepInputs, type StepResult } from './step.ts';
export { chain, type Context, type Term, type Transform, type Update } from './transform.ts';
export { addDecayedWeights, clipByGlobalNorm, globalNorm, momentum, scaleByAdam, scaleByLearningRate } from './transforms.ts';
