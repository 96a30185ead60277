import { checkSpec, recommended } from '../../engine/index.ts';
import type { RewardSpec, RunSpecInput } from '../../engine/schema/run-spec.ts';
import type { PlanSpecInput } from '../../engine/schema/plan.ts';

/**
 * The recommended settings with defaults filled in: the demo's base and GRPO are those of the launch form.
 */
const recommendedBase = checkSpec(recommended.base);
const recommendedGrpo = checkSpec({ ...recommended.base, method: { id: 'grpo' } });

/** Sizes of the demo: the whole loop in under five minutes on two CPU cores. Independent of the seed. */
export const sizes = {
  base: recommendedBase.budget,
  /**
   * As much compute as GRPO, which samples and trains on 80 × 256 rollouts, each about 5⁄3 of a training pass
   * (sampled, scored by the reference, trained).
   */
  continued: { steps: 1070, batch: 32, learningRate: 1e-3, beta2: 0.95 },
  pairs: { prompts: 2000, samples: 6, perPrompt: 4 },
  labelNoise: 0.1,
  rewardModel: { batch: 64 },
  dpo: { batch: 32, beta: 0.1 },
  grpo: {
    ...recommendedGrpo.budget,
    group: Number(recommendedGrpo.method.params.groupSize),
    klWeight: Number(recommendedGrpo.method.params.klWeight),
  },
  /**
   * The remedy: a larger KL weight, on a reward that length cannot raise. With .5 in place of 1.5 its gold
   * falls below the base.
   */
  remedied: { learningRate: 3e-4, klWeight: 1.5 },
  evaluation: { problems: recommendedBase.evaluation.problems, samples: recommendedBase.evaluation.samples },
} as const;

/**
 * The nodes of the plan in order, with the names of their runs and the time that they take on two idle CPU cores; a
 * slower machine scales it (`progress.ts`).
 */
export const stages = {
  base: { title: 'base', seconds: 85, isPolicy: true },
  answers: { title: 'answers to label', seconds: 6, isPolicy: false },
  labels: { title: 'scripted labels', seconds: 1, isPolicy: false },
  'reward-model': { title: 'reward model', seconds: 8, isPolicy: false },
  'sft-continued': { title: 'sft-continued', seconds: 35, isPolicy: true },
  dpo: { title: 'dpo', seconds: 10, isPolicy: true },
  'grpo-verifier': { title: 'grpo-verifier', seconds: 35, isPolicy: true },
  'grpo-reward-model': { title: 'grpo-reward-model', seconds: 34, isPolicy: true },
  'grpo-remedied': { title: 'grpo-remedied', seconds: 46, isPolicy: true },
} as const satisfies Record<string, { title: string; seconds: number; isPolicy: boolean }>;
export type Stage = keyof typeof stages;
export const stageNames = Object.keys(stages) as Stage[];

const { task, sampling } = recommended.base;
/** Only at the end: the demo compares results, and its time is limited. */
const evaluation = { ...recommended.base.evaluation, every: 0 };
/** Evaluation world of methods that learn from labels: the base's own problems. */
const world = { id: task.id, params: task.params };

/**
 * The base policy: a small transformer from random weights, trained on the world's imperfect demonstrations.
 */
export const base = (seed: number): RunSpecInput => ({ ...recommended.base, name: 'base', evaluation, seed });

/** Samples answers of the base policy to fresh prompts, for labeling. */
export const samples = (checkpointId: string, seed: number): RunSpecInput => ({
  name: 'answers to label',
  method: { id: 'sample', params: { groupSize: sizes.pairs.samples } },
  models: { policy: { kind: 'checkpoint', checkpointId } },
  task,
  rewards: [{ id: 'verifier' }],
  budget: { steps: 10, batch: sizes.pairs.prompts / 10 },
  sampling,
  evaluation: { problems: 0 },
  seed,
});

/** For one pass over the training pairs. */
export const rewardModel = (checkpointId: string, labelSetId: string, seed: number): RunSpecInput => ({
  name: 'reward model',
  method: { id: 'bradley-terry', params: { trunk: 'trained' } },
  models: { policy: { kind: 'checkpoint', checkpointId } },
  task: { kind: 'labels', labelSetId },
  budget: { batch: sizes.rewardModel.batch },
  seed,
});

type Extra = { readonly evaluationRewards: readonly RewardSpec[] };
type OwnGrpo = Extra & { readonly klWeight?: number; readonly learningRate?: number };

export const sftContinued = (
  checkpointId: string,
  seed: number,
  { evaluationRewards }: Extra,
): RunSpecInput => ({
  name: 'sft-continued',
  method: { id: 'sft' },
  models: { policy: { kind: 'checkpoint', checkpointId } },
  task,
  optimizer: {
    learningRate: sizes.continued.learningRate,
    beta2: sizes.continued.beta2,
    schedule: 'cosine',
    warmup: 20,
  },
  budget: { steps: sizes.continued.steps, batch: sizes.continued.batch },
  sampling,
  evaluation: { ...evaluation, rewards: [...evaluationRewards] },
  // demonstrations other than the base's
  seed: seed + 1,
});

/** For one pass over the training pairs that differ in correctness. */
export const dpo = (
  checkpointId: string,
  labelSetId: string,
  seed: number,
  { evaluationRewards }: Extra,
): RunSpecInput => ({
  name: 'dpo',
  method: { id: 'dpo', params: { beta: sizes.dpo.beta } },
  models: { policy: { kind: 'checkpoint', checkpointId } },
  task: { kind: 'labels', labelSetId, filter: 'differ-in-correctness' },
  budget: { batch: sizes.dpo.batch },
  sampling,
  evaluation: { ...evaluation, world, rewards: [...evaluationRewards] },
  seed,
});

/** GRPO as the app recommends it, with these changes. */
export const grpo = (
  name: string,
  checkpointId: string,
  rewards: readonly RewardSpec[],
  seed: number,
  own: OwnGrpo,
): RunSpecInput => ({
  name,
  method: { id: 'grpo', params: own.klWeight === undefined ? {} : { klWeight: own.klWeight } },
  models: { policy: { kind: 'checkpoint', checkpointId } },
  task,
  rewards: [...rewards],
  optimizer: own.learningRate === undefined ? {} : { learningRate: own.learningRate },
  sampling,
  evaluation: { ...evaluation, rewards: [...own.evaluationRewards] },
  seed,
});

/** What a node makes, where a specification wants an id: the plan puts the id there. */
const made = (node: Stage): string => ({ node }) as unknown as string;

/** The whole loop as a plan: base, answers, labels, reward model, and five policies. */
export function demoPlan(seed: number): PlanSpecInput {
  const start = made('base');
  const proxy: RewardSpec = { id: 'reward-model', weight: 1, params: { checkpointId: made('reward-model') } };
  const gold: RewardSpec = { id: 'verifier', weight: 0, params: {} };
  const implicit: RewardSpec = {
    id: 'implicit-reward',
    weight: 1,
    params: { checkpointId: made('dpo'), reference: { checkpointId: start }, beta: sizes.dpo.beta },
  };
  const extra: Extra = { evaluationRewards: [{ ...proxy, weight: 0 }] };
  const { perPrompt: pairsPerPrompt } = sizes.pairs;
  const label = {
    answers: 'answers',
    name: stages.labels.title,
    pairsPerPrompt,
    noise: sizes.labelNoise,
    seed,
  };
  const run = (id: Stage, spec: RunSpecInput, passes?: number) => ({
    id,
    spec: { ...spec, name: stages[id].title },
    ...(passes !== undefined && { passes }),
  });
  const policy = (id: Stage, rewards: readonly RewardSpec[], own: Omit<OwnGrpo, keyof Extra> = {}) =>
    run(id, grpo(id, start, rewards, seed, { ...extra, ...own }));
  return {
    name: `Demo, seed ${seed}`,
    summary:
      'The whole loop on built-in arithmetic, with a simulated labeler who errs in one of ten decisions.',
    nodes: [
      run('base', base(seed)),
      run('answers', samples(start, seed)),
      { id: 'labels', label },
      run('reward-model', rewardModel(start, made('labels'), seed), 1),
      run('sft-continued', sftContinued(start, seed, extra)),
      run('dpo', dpo(start, made('labels'), seed, extra), 1),
      policy('grpo-verifier', [{ ...gold, weight: 1 }]),
      policy('grpo-reward-model', [proxy, gold]),
      policy('grpo-remedied', [implicit, gold], sizes.remedied),
    ],
  };
}
