import * as z from 'zod';
import { defineMethod } from './define-method.ts';
import * as part from '../parts/index.ts';
import { train } from '../kernel/recipe.ts';
import { constantRate, range, shared } from '../kernel/shared.ts';
import { pipe } from '../kernel/stage.ts';

/** DPO on steps of own wrong answers: the step that lost most by rollouts, against a better one from there. */
export const stepDpo = defineMethod({
  id: 'step-dpo',
  title: 'Per-step DPO on own wrong answers',
  summary:
    'Values the steps of wrong answers by rollouts, and prefers a better step to the first that spoiled the ' +
    'answer.',
  cites: 'arXiv:2406.14532',
  task: 'verifiable',
  produces: 'policy',
  params: z.strictObject({
    groupSize: range.answers.default(4).describe('Answers per prompt.'),
    rollouts: z
      .int()
      .min(1)
      .max(64)
      .default(4)
      .describe('Answers that continue each beginning of a wrong one.'),
    step: shared.step.default('line'),
    gap: range.fraction.default(0.1).describe('A pair’s values differ by more than this.'),
    weigh: z.boolean().default(true).describe('A pair counts by the difference of its values.'),
    beta: shared.beta.default(0.1),
  }),
  suggested: constantRate(5e-4, { steps: 80, batch: 16 }),
  sanity: {
    world: 'toy/copy',
    metric: 'evaluation/gold',
    atLeast: 0.8,
    params: { groupSize: 3, rollouts: 3, step: 'token' },
    run: { optimizer: { learningRate: 5e-3 }, budget: { steps: 48, batch: 12 } },
  },
  recipe: (p, task) =>
    train({
      rows: pipe(
        task.prompts,
        part.stepRollouts(task.reward, { ...p, threshold: 0.99 }),
        part.siblingPairs({ ...p, choose: 'pit', threshold: 0.99 }),
        part.logpUnder('initial'),
      ),
      objective: part.ratioMargin({ beta: p.beta, loss: part.pairLosses.logistic }),
    }),
});
