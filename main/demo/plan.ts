import type { RewardSpec, RunSpecInput } from '../../engine/schema/run-spec.ts';

/** Sizes of the demo: a whole loop in under five minutes on two CPU cores. Nothing here depends on the seed. */
export const sizes = {
  architecture: { family: 'gpt2', width: 64, layers: 3, heads: 4, context: 96 },
  base: { steps: 2400, batch: 32, learningRate: 2.5e-3, beta2: 0.99 },
  /** As many answers trained on as GRPO writes and trains on: 80 × 256 rollouts, each about 5⁄3 of a training pass (written, scored by the reference, trained). */
  continued: { steps: 1070, batch: 32, learningRate: 1e-3 },
  pairs: { prompts: 2000, samples: 6, perPrompt: 4 },
  labelNoise: 0.1,
  rewardModel: { batch: 64, learningRate: 1e-3 },
  dpo: { batch: 32, learningRate: 1e-4, beta: 0.1 },
  grpo: { steps: 80, batch: 32, group: 8, learningRate: 4e-4, klWeight: 0.01 },
  /** The remedy: a KL that holds, on a reward that cannot be earned by length. With .5 in place of 1.5 its gold falls below the base. */
  remedied: { learningRate: 3e-4, klWeight: 1.5 },
  evaluation: { problems: 500, samples: 8 },
  maxTokens: 48,
} as const;

/** Digits, zero among them: a base of this size learns them in a minute. `#0` is right for one problem in ten, and every policy here is far above that. */
const world = { id: 'arithmetic', params: { smallestOperand: 0, largestOperand: 9, largestValue: 30 } };
const evaluation = { problems: sizes.evaluation.problems, samples: sizes.evaluation.samples, world };
const sampling = { temperature: 1, maxTokens: sizes.maxTokens };

/** The base policy: a small transformer from random weights, trained on the world's imperfect demonstrations. */
export const base = (seed: number): RunSpecInput => ({
  name: 'base',
  method: { id: 'sft' },
  models: { policy: { kind: 'new', architecture: sizes.architecture, tokenizer: { kind: 'characters' } } },
  task: { kind: 'world', ...world },
  optimizer: { learningRate: sizes.base.learningRate, beta2: sizes.base.beta2, schedule: 'cosine', warmup: 50 },
  budget: { steps: sizes.base.steps, batch: sizes.base.batch },
  sampling, evaluation, seed,
});

/** Answers of the base policy on fresh prompts, to be labeled. */
export const samples = (checkpointId: string, seed: number): RunSpecInput => ({
  name: 'answers to label',
  method: { id: 'sample', params: { size: sizes.pairs.samples } },
  models: { policy: { kind: 'checkpoint', checkpointId } },
  task: { kind: 'world', ...world },
  rewards: [{ id: 'verifier' }],
  budget: { steps: 10, batch: sizes.pairs.prompts / 10 },
  sampling, evaluation: { problems: 0 }, seed,
});

/** `budget.steps` is one epoch over the training pairs. */
export const rewardModel = (checkpointId: string, labelSetId: string, pairs: number, seed: number): RunSpecInput => ({
  name: 'reward model',
  method: { id: 'bradley-terry', params: { trunk: 'trained' } },
  models: { policy: { kind: 'checkpoint', checkpointId } },
  task: { kind: 'labels', labelSetId },
  optimizer: { learningRate: sizes.rewardModel.learningRate, schedule: 'linear', warmup: 5 },
  budget: { steps: Math.ceil(pairs / sizes.rewardModel.batch), batch: sizes.rewardModel.batch },
  seed,
});

type Extra = { readonly evaluationRewards: readonly RewardSpec[] };

export const sftContinued = (checkpointId: string, seed: number, { evaluationRewards }: Extra): RunSpecInput => ({
  name: 'sft-continued',
  method: { id: 'sft' },
  models: { policy: { kind: 'checkpoint', checkpointId } },
  task: { kind: 'world', ...world },
  optimizer: { learningRate: sizes.continued.learningRate, schedule: 'cosine', warmup: 20 },
  budget: { steps: sizes.continued.steps, batch: sizes.continued.batch },
  sampling, evaluation: { ...evaluation, rewards: [...evaluationRewards] },
  // other demonstrations than the base has seen
  seed: seed + 1,
});

export const dpo = (checkpointId: string, labelSetId: string, pairs: number, seed: number, { evaluationRewards }: Extra): RunSpecInput => ({
  name: 'dpo',
  method: { id: 'dpo', params: { beta: sizes.dpo.beta } },
  models: { policy: { kind: 'checkpoint', checkpointId } },
  task: { kind: 'labels', labelSetId, filter: 'differ-in-correctness' },
  optimizer: { learningRate: sizes.dpo.learningRate, schedule: 'constant', warmup: 5 },
  budget: { steps: Math.ceil(pairs / sizes.dpo.batch), batch: sizes.dpo.batch },
  sampling, evaluation: { ...evaluation, rewards: [...evaluationRewards] }, seed,
});

export const grpo = (name: string, checkpointId: string, rewards: readonly RewardSpec[], seed: number, { evaluationRewards, klWeight, learningRate }: Extra & { klWeight: number; learningRate: number }): RunSpecInput => ({
  name,
  method: { id: 'grpo', params: { size: sizes.grpo.group, klWeight } },
  models: { policy: { kind: 'checkpoint', checkpointId } },
  task: { kind: 'world', ...world },
  rewards: [...rewards],
  optimizer: { learningRate, schedule: 'linear', warmup: 5 },
  budget: { steps: sizes.grpo.steps, batch: sizes.grpo.batch },
  sampling, evaluation: { ...evaluation, rewards: [...evaluationRewards] }, seed,
});
