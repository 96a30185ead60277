/** Models: parameters, graphs, checkpoints, generation and scoring. See README.md. */
export { paddedLength, planBatches, type BatchPlan } from './batches.ts';
export { readCheckpoint, readModelFolder, verifyCheckpoint, writeCheckpoint, type Checkpoint, type SavedCheckpoint } from './checkpoint.ts';
export { configOf, type Head, type ModelConfig } from './config.ts';
export { answersTo, generate, type Answer, type AnswerRequest, type GenerateOptions } from './generate/generate.ts';
export { forward, gpt2Parameters, logitsOf } from './gpt2.ts';
export { nextTokenLogp, nextTokenLogpAndEntropy } from './heads/next-token.ts';
export { rewardOf } from './heads/reward.ts';
export { createModel, withHead, type Model } from './model.ts';
export { layoutOf, ParameterSet, type ParameterSlot, type ParameterSpec } from './parameters.ts';
export { bucket } from './programs.ts';
export { scoreRewards, scoreTokens } from './score.ts';
export { flatParameters, inputParameters, parameterFeeds, type Lookup } from './symbols.ts';
