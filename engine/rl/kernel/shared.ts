/**
 * Parameters shared by several methods: range and description are declared once here, the default in each
 * method.
 */
import * as z from 'zod';

/** Ranges of parameters. */
export const range = {
  fraction: z.number().min(0).max(1),
  positive: z.number().positive().max(100),
  /** Weight of a loss term; 0 removes it. */
  weight: z.number().min(0).max(100),
  /** Answers per prompt, of which at least two are compared. */
  answers: z.int().min(2).max(256),
  updates: z.int().min(1).max(10_000),
} as const;

/** Parameters of methods that learn from earlier answers again. */
export const replay = {
  share: z
    .number()
    .min(0)
    .max(16)
    .describe('Earlier answers in a batch, as a multiple of the fresh ones; 0 is no replay.'),
  capacity: z.int().min(1).max(100_000).describe('Earlier answers that are kept: the newest.'),
  maxAge: z.int().min(1).max(10_000).describe('Batches after which an answer is forgotten.'),
} as const;

/** Parameters: range and description. */
export const shared = {
  groupSize: range.answers.describe('Attempts per prompt.'),
  epochs: z.int().min(1).max(16).describe('Epochs on each batch of answers.'),
  clip: z.number().positive().max(1).describe('Trust region on the probability ratio.'),
  clipHigh: z.number().positive().max(10).describe('How far it may rise above 1.'),
  scaleBy: z.enum(['sample', 'population', 'none']).describe("What a group's advantages are divided by."),
  /** For a policy gradient: how token losses are averaged. */
  average: z.enum(['sequence', 'token', 'constant']).describe('Average of the token losses.'),
  /** For imitation. */
  counts: z.enum(['token', 'sequence']).describe('Whether every token counts the same, or every answer.'),
  /** For imitation added to a loss of pairs. */
  chosenCounts: z
    .enum(['token', 'sequence'])
    .describe('Whether every token of the preferred answers counts the same, or every answer.'),
  /** For the divergence as a term of the loss; as a part of an answer's reward; as a part of each token's. */
  klWeight: range.weight.describe('Weight of the divergence from the initial policy.'),
  klInReward: range.weight.describe('Cost of divergence from the initial policy, as a part of the reward.'),
  klPerToken: range.weight.describe(
    'Cost of divergence from the initial policy at each token, as a part of the reward.',
  ),
  beta: range.positive.describe('How closely to stay to the initial policy.'),
  /** For a loss of pairs without a reference. */
  scale: range.positive.describe('Scale of log-probabilities before they are compared.'),
  gamma: range.weight.describe('Target margin, in units of the scaled difference.'),
  sftWeight: range.weight.describe('Weight of the likelihood of the preferred answers.'),
  labelSmoothing: z.number().min(0).max(0.49).describe('Assumed share of flipped labels.'),
  ties: z
    .enum(['drop', 'half'])
    .describe('Pairs judged equal: left out, or half a preference for each side.'),
  step: z
    .enum(['token', 'line', 'turn'])
    .describe('What a step is: a token, a line, or a turn between replies of the world.'),
} as const;

interface Budget {
  readonly steps: number;
  readonly batch: number;
}

/** Suggested settings: a constant learning rate after a short warm-up, or a linear decay. */
export const constantRate = (learningRate: number, budget: Budget) => ({
  optimizer: { learningRate, schedule: 'constant', warmup: 5 } as const,
  budget,
});
export const linearRate = (learningRate: number, budget: Budget) => ({
  optimizer: { learningRate, schedule: 'linear', warmup: 5 } as const,
  budget,
});
