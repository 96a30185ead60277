import * as z from 'zod';
import { defineMethod } from './define-method.ts';
import * as part from '../parts/index.ts';
import { train } from '../kernel/recipe.ts';
import { constantRate, range, shared } from '../kernel/shared.ts';
import { pipe, when } from '../kernel/stage.ts';

/** Reward-ranked fine-tuning: imitates the best of K answers that the policy sampled itself (algorithm 1). */
export const raft = defineMethod({
  id: 'raft',
  title: 'Reward-ranked fine-tuning (RAFT)',
  summary:
    'Samples several answers to each prompt and imitates the best one, repeatedly with the ' +
    'updated policy.',
  cites: 'arXiv:2304.06767',
  task: 'verifiable',
  produces: 'policy',
  params: z.strictObject({
    groupSize: range.answers
      .default(8)
      .describe('Answers per prompt (K), of which the best one is imitated.'),
    dropFlat: z.boolean().default(true).describe('Leave out prompts whose answers all have the same reward.'),
    average: shared.counts.default('sequence'),
    epochs: shared.epochs.default(1),
  }),
  suggested: constantRate(5e-4, { steps: 80, batch: 32 }),
  sanity: {
    world: 'toy/copy',
    metric: 'reward/mean',
    atLeast: 0.8,
    run: { optimizer: { learningRate: 6e-3 }, budget: { steps: 80, batch: 16 } },
  },
  recipe: (p, task) =>
    train({
      rows: pipe(
        task.prompts,
        part.sampleGroups(p),
        part.score(task.reward),
        when(p.dropFlat, part.dropFlatGroups),
        part.keepBest,
      ),
      objective: part.likelihood(p),
      epochs: p.epochs,
    }),
});
