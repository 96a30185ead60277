import type { PlanSpecInput } from '../../engine/schema/plan.ts';
import type { RunSpecInput } from '../../engine/schema/run-spec.ts';

/**
 * Sizes of the study: a policy of about a million parameters on real text, in well under twenty minutes on
 * two CPU cores.
 */
export const sizes = {
  architecture: { family: 'gpt2', width: 128, layers: 4, heads: 4, context: 512 },
  vocabulary: 1024,
  heldout: 0.2,
  policy: { batch: 16, epochs: 6, learningRate: 2e-3 },
  dpo: { batch: 8, epochs: 1, learningRate: 5e-5, beta: 0.1 },
} as const;

const stepsFor = (rows: number, { batch, epochs }: { batch: number; epochs: number }): number =>
  Math.max(1, Math.ceil((rows * (1 - sizes.heldout) * epochs) / batch));

/** Trains the policy on the right solutions; all three runs hold out the same prompts. */
const policy = (datasetId: string, rightAnswers: number, seed: number): RunSpecInput => ({
  name: 'policy on right solutions',
  method: { id: 'sft' },
  models: {
    policy: {
      kind: 'new',
      architecture: sizes.architecture,
      tokenizer: { kind: 'bpe', vocabulary: sizes.vocabulary },
    },
  },
  task: { kind: 'dataset', datasetId, heldout: sizes.heldout, onlyCorrect: true },
  optimizer: { learningRate: sizes.policy.learningRate, beta2: 0.95, schedule: 'cosine', warmup: 50 },
  budget: { steps: stepsFor(rightAnswers, sizes.policy), batch: sizes.policy.batch },
  evaluation: { problems: 0 },
  seed,
});

/**
 * Trains a reward model: a head on frozen features, since labels are few, with its L2 weight cross-validated
 * by prompt.
 */
const rewardModel = (checkpointId: string, datasetId: string, seed: number): RunSpecInput => ({
  name: 'reward model',
  method: { id: 'bradley-terry', params: { trunk: 'frozen' } },
  models: { policy: { kind: 'checkpoint', checkpointId } },
  task: { kind: 'dataset', datasetId, heldout: sizes.heldout },
  budget: { steps: 1, batch: 16 },
  seed,
});

const dpo = (checkpointId: string, datasetId: string, pairs: number, seed: number): RunSpecInput => ({
  name: 'dpo',
  method: { id: 'dpo', params: { beta: sizes.dpo.beta } },
  models: { policy: { kind: 'checkpoint', checkpointId } },
  task: { kind: 'dataset', datasetId, heldout: sizes.heldout },
  optimizer: { learningRate: sizes.dpo.learningRate, schedule: 'linear', warmup: 10 },
  budget: { steps: stepsFor(pairs, sizes.dpo), batch: sizes.dpo.batch },
  evaluation: { problems: 0 },
  seed,
});

interface Facts {
  readonly id: string;
  /** Answers marked right, and pairs of a right and a wrong one. */
  readonly correct: number;
  readonly pairs: number;
}

/** The study as a plan: a policy, and a reward model and DPO from it. */
export function studyPlan({ id, correct, pairs }: Facts, seed: number): PlanSpecInput {
  const from = { node: 'policy' } as unknown as string; // the plan puts its checkpoint there
  return {
    name: `Study, seed ${seed}`,
    summary: 'A policy on right solutions; a reward model and DPO on pairs of a right and a wrong one.',
    nodes: [
      { id: 'policy', spec: policy(id, correct, seed) },
      { id: 'reward-model', spec: rewardModel(from, id, seed) },
      { id: 'dpo', spec: dpo(from, id, pairs, seed) },
    ],
  };
}
