import * as z from 'zod';
import { defineMethod } from './define-method.ts';
import * as part from '../parts/index.ts';
import { train } from '../kernel/recipe.ts';
import { constantRate, range, shared } from '../kernel/shared.ts';
import { pipe } from '../kernel/stage.ts';

/**
 * Reinforcement with verifiable rewards as supervised classification: the policy’s own score, against the
 * others of its group, predicts the verdict.
 */
export const pacs = defineMethod({
  id: 'pacs',
  title: 'Policy as Actor and Critic by Supervision (PACS)',
  summary:
    'Takes an answer’s gain in likelihood over the others on its prompt as the logit of being ' +
    'right, and trains it as a classifier.',
  cites: 'arXiv:2509.02522',
  task: 'verifiable',
  produces: 'policy',
  params: z.strictObject({
    groupSize: shared.groupSize.default(8),
    beta: range.positive.default(1).describe('Scale of the log-ratios that are the score.'),
    balance: z
      .boolean()
      .default(true)
      .describe('Right and wrong answers of a prompt count half each, whatever their numbers.'),
    epochs: shared.epochs.default(2),
  }),
  suggested: constantRate(3e-4, { steps: 100, batch: 32 }),
  sanity: {
    world: 'toy/copy',
    metric: 'reward/mean',
    atLeast: 0.8,
    run: { optimizer: { learningRate: 5e-3 }, budget: { steps: 100, batch: 16 } },
  },
  recipe: (p, task) =>
    train({
      rows: pipe(task.prompts, part.sampleGroups(p), part.score(task.reward), part.groupAccuracy),
      objective: part.coupledClassifier(p),
      epochs: p.epochs,
    }),
});
