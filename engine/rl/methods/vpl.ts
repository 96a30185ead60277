import * as z from 'zod';
import { defineMethod } from './define-method.ts';
import * as part from '../parts/index.ts';
import { train } from '../kernel/recipe.ts';
import { linearRate, range } from '../kernel/shared.ts';
import { pipe } from '../kernel/stage.ts';

/**
 * A reward model for users who disagree: an encoder infers a Gaussian latent of the user from a few of their
 * comparisons, and the reward depends on it. Both are one model with a head of several labels; the reward is
 * linear in the latent.
 */
export const vpl = defineMethod({
  id: 'vpl',
  title: 'Variational Preference Learning',
  summary:
    'Infers a latent of each user from comparisons at the beginning of the prompt, and learns a reward that ' +
    'depends on it.',
  cites: 'arXiv:2408.10075',
  task: 'preferences',
  produces: 'reward',
  params: z.strictObject({
    latents: z.int().min(1).max(16).default(4).describe('Dimensions of the latent.'),
    beta: range.weight
      .default(0.01)
      .describe('Weight of its divergence from a standard normal distribution.'),
    separator: z
      .string()
      .min(1)
      .max(20)
      .default(',')
      .describe('Ends the user’s comparisons in a prompt; the question follows its last occurrence.'),
  }),
  suggested: linearRate(1e-3, { steps: 300, batch: 64 }),
  texts: (p) => [p.separator],
  judgeOutput: (p) => ({
    kind: 'latent',
    separator: p.separator,
    latents: p.latents,
    how: 'first',
    caution: 1,
  }),
  sanity: {
    world: 'toy/users',
    metric: 'eval/accuracy',
    atLeast: 0.85,
    run: { optimizer: { learningRate: 3e-3 }, budget: { steps: 180, batch: 32 } },
  },
  recipe: (p, task) =>
    train({
      rows: pipe(task.pairs, part.userContext(p)),
      objective: part.latentPreference(p),
      head: { kind: 'reward', labels: part.latentLabels(p.latents) },
    }),
});
