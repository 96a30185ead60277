import { z } from 'zod';
import { defineMethod } from '../kernel/method.ts';
import * as part from '../parts/index.ts';
import { train } from '../kernel/recipe.ts';
import { pipe } from '../kernel/stage.ts';

const share = z.number().min(0).max(1);

/**
 * Imitation and reinforcement in one group: one answer of each continues a worked one, and shares the group's
 * comparison.
 */
export const prefixRft = defineMethod({
  id: 'prefix-rft',
  title: 'Prefix-RFT',
  summary:
    'Like GRPO, but one answer of each group begins as a worked answer does; the beginnings grow shorter ' +
    'as the run goes on.',
  cites: 'arXiv:2507.01679',
  task: 'verifiable',
  produces: 'policy',
  params: z.strictObject({
    size: z
      .int()
      .min(2)
      .max(256)
      .default(8)
      .describe('Answers per prompt, of which one continues a beginning.'),
    from: share.default(0.95).describe('Share of the worked answer that is shown at first.'),
    to: share.default(0.05).describe('Share that is shown at the end.'),
    uncertain: share
      .default(0.2)
      .describe('Share of the shown tokens that are learned: those that the policy is least sure of.'),
    clip: z.number().positive().max(1).default(0.2).describe('Trust region on the probability ratio.'),
    sd: z
      .enum(['sample', 'population', 'none'])
      .default('none')
      .describe("What a group's advantages are divided by."),
    average: z
      .enum(['sequence', 'token', 'constant'])
      .default('token')
      .describe('How the loss of the tokens becomes one number.'),
    passes: z.int().min(1).max(16).default(1).describe('Updates on each batch of answers.'),
  }),
  suggested: {
    optimizer: { learningRate: 5e-4, schedule: 'constant', warmup: 5 },
    budget: { steps: 80, batch: 32 },
  },
  sanity: {
    world: 'toy/copy',
    metric: 'reward/mean',
    atLeast: 0.8,
    params: { sd: 'sample', uncertain: 0.5 },
    run: { optimizer: { learningRate: 5e-3 }, budget: { steps: 64, batch: 16 } },
  },
  recipe: (p, task) =>
    train({
      rows: pipe(
        task.guided,
        part.sampleWithPrefix(p),
        part.score(task.reward),
        part.centerByGroup(p),
        part.onlyUncertainPrefix({ share: p.uncertain }),
      ),
      objective: part.clippedSurrogate({ low: p.clip, high: p.clip, average: p.average }),
      passes: p.passes,
    }),
});
