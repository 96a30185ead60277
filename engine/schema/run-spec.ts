import * as z from 'zod';
import { Role } from './conversation.ts';
import { AdapterSpec } from './adapter.ts';
import { WatchedChart } from './chart.ts';
import { DeviceId } from './device.ts';
import { ModelSource } from './model.ts';
import { probeIds } from './probe-ids.ts';
import { samplingFilters, GrammarSpec, SteeringSpec, GuidanceSpec } from './sampling.ts';
import { withoutRetired } from './retired-params.ts';
import { fromVersion1 } from './run-spec-1.ts';
import { usual } from '../common/suggested.ts';

const fraction = z.number().min(0).max(1);
/**
 * Decay of a running mean: at 1 (or a number that float32 rounds to it) it would ignore new values, and its
 * bias correction would divide by 0.
 */
const decay = z.number().min(0).max(0.99999);

/**
 * Training data of a run. A method needs demonstrations, verifiable prompts or preferences; each task kind
 * offers some of these.
 */
export const TaskSpec = z.discriminatedUnion('kind', [
  z
    .strictObject({
      kind: z.literal('world'),
      id: z.string().min(1),
      params: z.record(z.string(), z.unknown()).default({}),
    })
    .describe('A built-in verifiable world: endless prompts, an exact verifier, demonstrations.'),
  z
    .strictObject({
      kind: z.literal('dataset'),
      datasetId: z.string().min(1),
      /** The rows: `train` and `heldout` are split by prompt, with the dataset's own hash. */
      heldout: fraction
        .default(usual.heldout)
        .describe(
          'Share of the prompts kept for evaluation; the same share keeps the same prompts in every run.',
        ),
      version: z
        .string()
        .min(1)
        .max(100)
        .optional()
        .describe('A saved version of the rows; without one, the rows as they are at the launch.'),
      trainPart: z
        .string()
        .min(1)
        .max(60)
        .optional()
        .describe('Part of a split to train on, such as train; without one, all rows.'),
      heldoutPart: z
        .string()
        .min(1)
        .max(60)
        .optional()
        .describe('Part of a split kept for evaluation, instead of the held-out share.'),
      onlyCorrect: z
        .boolean()
        .default(true)
        .describe('Demonstrations: leave out answers that are marked wrong.'),
      roles: z
        .array(Role)
        .min(1)
        .default(['assistant'])
        .describe('Conversations: roles whose messages are trained; all others are only read.'),
    })
    .describe('Rows of an imported dataset.'),
  z
    .strictObject({
      kind: z.literal('labels'),
      labelSetId: z.string().min(1),
      heldout: fraction.default(usual.heldout).describe('Share of the prompts kept for evaluation.'),
      filter: z
        .enum(['all', 'differ-in-correctness', 'equal-length'])
        .default('all')
        .describe(
          'Which labeled pairs: all; one right and one wrong answer; lengths within 10 % of each other.',
        ),
      weigh: z
        .enum(['equal', 'reliability'])
        .default('equal')
        .describe(
          'Weight of a pair in the loss: the same for all; or the probability that its verdict is right, by ' +
            'the agreement of several labelers (Dawid and Skene 1979).',
        ),
    })
    .describe('Preferences labeled in this workspace.'),
  z
    .strictObject({
      kind: z.literal('control'),
      id: z.string().min(1),
      charts: z
        .array(WatchedChart)
        .min(1)
        .max(8)
        .optional()
        .describe('Behaviours to be measured, and to be rewarded beside what the world pays.'),
    })
    .describe('A control world: observations are numbers, and copies of it are acted in.'),
]);
export type TaskSpec = z.infer<typeof TaskSpec>;

/** One scorer in the run's stack; the total is the weighted sum, unless the run has a composer. */
export const RewardSpec = z.strictObject({
  id: z.string().min(1),
  weight: z.number().default(1),
  params: z.record(z.string(), z.unknown()).default({}),
});
export type RewardSpec = z.infer<typeof RewardSpec>;

/** Makes one total of the scorers, other than the weighted sum. */
export const ComposerSpec = z.strictObject({
  id: z.string().min(1),
  params: z.record(z.string(), z.unknown()).default({}),
});
export type ComposerSpec = z.infer<typeof ComposerSpec>;

/** A controller that sets a knob during the run. */
export const ControllerSpec = z.strictObject({
  id: z.string().min(1),
  params: z.record(z.string(), z.unknown()).default({}),
});
export type ControllerSpec = z.infer<typeof ControllerSpec>;

export const OptimizerSpec = z.strictObject({
  kind: z
    .enum(['adamw', 'sgd', 'lion', 'muon'])
    .default('adamw')
    .describe(
      'AdamW; gradient descent with momentum; Lion (a tenth of AdamW’s rate, half its memory); Muon ' +
        '(matrices inside the network; the rest by AdamW).',
    ),
  learningRate: z
    .number()
    .min(0)
    .max(10)
    .default(5e-4)
    .describe(
      'The suggested rate is for small models with random weights. For an added model it is a hundredth of ' +
        'that, or a tenth to train an adapter.',
    ),
  schedule: z
    .enum(['constant', 'linear', 'cosine'])
    .default('constant')
    .describe('How the learning rate falls after the warm-up.'),
  warmup: z.int().min(0).default(0).describe('Updates of linear warm-up.'),
  beta1: decay.default(0.9).describe('Decay of the mean of gradients; for gradient descent, its momentum.'),
  beta2: decay
    .default(0.95)
    .describe('Decay of the mean of squared gradients; for Lion, of its momentum (its paper: 0.99).'),
  momentum: decay.default(0.95).describe('Muon: decay of the momentum of its matrices.'),
  // smaller ones are 0 in float32, and a parameter without a gradient would give 0 ÷ 0
  epsilon: z.number().min(1e-20).default(1e-8),
  weightDecay: z
    .number()
    .min(0)
    .default(0)
    .describe('Decoupled, times the learning rate; matrices and embeddings only, never gains or biases.'),
  clipNorm: z.number().positive().default(1).describe('Global gradient norm is clipped to this.'),
  dropout: z
    .number()
    .min(0)
    .max(0.9)
    .default(0)
    .describe(
      'Dropout: share of the embeddings and of what each block adds that is dropped in training; ' +
        'nothing is dropped in sampling or evaluation.',
    ),
});
export type OptimizerSpec = z.infer<typeof OptimizerSpec>;

export const SamplingSpec = z.strictObject({
  // below, its logits overflow float32
  temperature: z.number().min(1e-6).max(5).default(1),
  maxTokens: z.int().min(1).max(8192).default(usual.maxTokens).describe('Maximum answer length, in tokens.'),
  ...samplingFilters,
  guidance: GuidanceSpec.optional().describe('A second model that shifts the probabilities of each token.'),
  steering: SteeringSpec.optional().describe('A direction added to hidden states while sampling.'),
  grammar: GrammarSpec.optional().describe('A grammar that every answer fits.'),
});
export type SamplingSpec = z.infer<typeof SamplingSpec>;

export const BudgetSpec = z.strictObject({
  steps: z.int().min(0).max(1_000_000).default(100).describe('Optimizer updates.'),
  batch: z.int().min(1).max(4096).default(32).describe('Prompts (or demonstrations, or pairs) per step.'),
  microTokens: z
    .int()
    .min(1)
    .max(1_048_576)
    .default(4096)
    .describe(
      'Tokens of a micro-batch; a larger batch uses gradient accumulation, with the same result. A ' +
        'smaller number needs less memory.',
    ),
  recompute: z
    .boolean()
    .default(false)
    .describe(
      'Gradient checkpointing: compute activations again in the backward pass instead of keeping ' +
        'them: far less memory for about a third more time.',
    ),
  overcommit: z
    .boolean()
    .default(false)
    .describe('Start even if the estimate says that the memory is too small.'),
});
export type BudgetSpec = z.infer<typeof BudgetSpec>;

export const EvaluationSpec = z.strictObject({
  every: z.int().min(0).default(0).describe('Evaluate after so many steps; 0: only at the end.'),
  problems: z.int().min(0).max(10_000).default(200).describe('Held-out problems.'),
  samples: z.int().min(1).max(64).default(8).describe('Answers per problem, for pass@k.'),
  world: z
    .strictObject({ id: z.string().min(1), params: z.record(z.string(), z.unknown()).default({}) })
    .nullable()
    .default(null)
    .describe('World whose held-out problems are used; null: the world of the task, if it is one.'),
  rewards: z
    .array(RewardSpec)
    .default([])
    .describe('Scorers to record at evaluation in addition to those of training.'),
});
export type EvaluationSpec = z.infer<typeof EvaluationSpec>;

/**
 * Another task, or another measure, for a role, whenever the run is evaluated: a world, or the rows of a
 * dataset. Its metrics are `eval/<name>/…`.
 */
export const FurtherEvaluation = z.strictObject({
  name: z
    .string()
    .regex(/^[a-z0-9][a-z0-9-]{0,39}$/, 'lower-case letters, digits and hyphens, at most 40')
    .describe('Part of the names of its metrics.'),
  world: z
    .strictObject({ id: z.string().min(1), params: z.record(z.string(), z.unknown()).default({}) })
    .optional()
    .describe('World whose held-out problems are used.'),
  datasetId: z
    .string()
    .min(1)
    .optional()
    .describe(
      'Dataset that is measured, in place of a world. Of the run’s own dataset only the held-out rows are ' +
        'used, unless a part is named.',
    ),
  version: z
    .string()
    .min(1)
    .max(100)
    .optional()
    .describe('A saved version of that dataset; without one, its rows as they are at the launch.'),
  part: z
    .string()
    .min(1)
    .max(60)
    .optional()
    .describe('Part of a split of that dataset, such as test; without one, all rows.'),
  role: z.string().min(1).optional().describe('The role that is measured; absent: the run’s own model.'),
  measure: z
    .enum(['answers', 'first-error', 'likelihood', 'pairs'])
    .optional()
    .describe(
      'answers: sampled answers, scored. first-error: whether a verifier that writes verdicts finds the first ' +
        'wrong line of worked answers. likelihood: negative log-likelihood of a dataset’s answers. pairs: share ' +
        'of its pairs of a right and a wrong answer that are ranked so. Absent: answers; of a reward model, pairs.',
    ),
  scorer: z
    .strictObject({ id: z.string().min(1), params: z.record(z.string(), z.unknown()).default({}) })
    .optional()
    .describe(
      'Scores the answers to a dataset’s prompts; 1 counts as right. Absent: the run’s first reward that ' +
        'compares answers with references.',
    ),
  problems: z.int().min(1).max(10_000).default(100).describe('Held-out problems, or rows, at most.'),
  samples: z.int().min(1).max(64).default(4).describe('Answers per problem, for pass@k.'),
});
export type FurtherEvaluation = z.infer<typeof FurtherEvaluation>;

export const CheckpointSpec = z.strictObject({
  every: z.int().min(0).default(0).describe('Save after so many steps; 0: only at the end.'),
  keep: z
    .int()
    .min(1)
    .default(2)
    .describe(
      'Number of newest checkpoints of a run to keep; the last one of a finished run is always kept.',
    ),
});
export type CheckpointSpec = z.infer<typeof CheckpointSpec>;

/** Settings of one role of a method, where they differ from the run's own. */
export const RoleSettings = z.strictObject({
  adapter: AdapterSpec.nullable().optional().describe('The trained part of the role’s model.'),
  optimizer: OptimizerSpec.optional(),
  sampling: SamplingSpec.optional(),
  rewards: z.array(RewardSpec).min(1).optional().describe('Scorers of the role’s answers.'),
});
export type RoleSettings = z.infer<typeof RoleSettings>;

/** Tests that the judges of a run must have passed, by the stored reports on exactly their files. */
export const DemandSpec = z.strictObject({
  probes: z
    .array(z.enum(probeIds))
    .default([])
    .describe('Probes that each judge must have passed, by its newest report.'),
  accuracy: fraction
    .default(0)
    .describe('Least accuracy of each judge on its held-out pairs; 0 demands none.'),
});
export type DemandSpec = z.infer<typeof DemandSpec>;

const CurrentRunSpec = z.strictObject({
  version: z.literal(2).default(2),
  name: z.string().max(200).default(''),
  method: z.strictObject({ id: z.string().min(1), params: z.record(z.string(), z.unknown()).default({}) }),
  models: z
    .object({ policy: ModelSource })
    .catchall(ModelSource)
    .describe('Where the policy starts, and roles that do not start as the policy: a teacher, a target.'),
  roles: z
    .record(z.string(), RoleSettings)
    .optional()
    .describe('Settings of the method’s further roles; absent ones are the run’s own.'),
  adapter: AdapterSpec.nullable().default({ kind: 'none' }).describe('The trained part of the model.'),
  task: TaskSpec,
  rewards: z.array(RewardSpec).default([]),
  composer: ComposerSpec.nullable()
    .optional()
    .describe('Makes one total of the rewards; without one, the weighted sum.'),
  demand: DemandSpec.optional().describe(
    'Demands on the judges among the rewards; a run with one that fails is not launched.',
  ),
  controllers: z
    .array(ControllerSpec)
    .default([])
    .describe('Controllers that adjust the run’s settings: curriculum, budgets, temperatures, weights.'),
  optimizer: OptimizerSpec.prefault({}),
  sampling: SamplingSpec.prefault({}),
  budget: BudgetSpec.prefault({}),
  evaluation: EvaluationSpec.prefault({}),
  evaluations: z
    .array(FurtherEvaluation)
    .max(20)
    .optional()
    .describe('Further tasks to measure at each evaluation: other worlds or levels, datasets, other roles.'),
  checkpoints: CheckpointSpec.prefault({}),
  seed: z.int().min(0).max(0xffff_ffff).default(0),
  device: DeviceId.default('cpu').describe('Where the run computes.'),
});

/**
 * Everything that defines a run, as plain data. The same spec runs from the screen, the command line and on
 * another machine. Specs of version 1 (files, stored runs) are read as well.
 */
export const RunSpec = z.preprocess((spec) => withoutRetired(fromVersion1(spec)), CurrentRunSpec);
export type RunSpec = z.infer<typeof CurrentRunSpec>;
export type RunSpecInput = z.input<typeof CurrentRunSpec>;
