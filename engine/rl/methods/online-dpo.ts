import * as z from 'zod';
import { defineMethod } from './define-method.ts';
import * as part from '../parts/index.ts';
import { train } from '../kernel/recipe.ts';
import { constantRate, range, shared } from '../kernel/shared.ts';
import { pipe } from '../kernel/stage.ts';

/** DPO on pairs sampled during training: the best and the worst of a few fresh answers, by the reward. */
export const onlineDpo = defineMethod({
  id: 'online-dpo',
  title: 'Online DPO',
  summary: 'Samples a few answers to each prompt, and makes the best of them likelier than the worst.',
  cites: 'arXiv:2402.04792',
  task: 'verifiable',
  produces: 'policy',
  params: z.strictObject({
    beta: shared.beta.default(0.1),
    groupSize: range.answers
      .default(4)
      .describe('Answers per prompt, of which the best and the worst are a pair.'),
    loss: z
      .enum(['logistic', 'hinge', 'squared'])
      .default('logistic')
      .describe('Loss of the margin: as in DPO, as in SLiC, or as in IPO with τ = β.'),
  }),
  suggested: constantRate(5e-4, { steps: 80, batch: 32 }),
  sanity: {
    world: 'toy/copy',
    metric: 'reward/mean',
    atLeast: 0.8,
    run: { optimizer: { learningRate: 5e-3 }, budget: { steps: 80, batch: 16 } },
  },
  optimum: (world, p) =>
    p.loss === 'logistic' ? world.fixedPoint({ divergence: 'policy-to-reference', weight: 0 }) : undefined,
  recipe: (p, task) =>
    train({
      rows: pipe(
        task.prompts,
        part.sampleGroups(p),
        part.score(task.reward),
        part.bestAgainstWorst,
        part.asPairs,
        part.logpUnder('initial'),
      ),
      objective: part.ratioMargin({ beta: p.beta, loss: part.pairLosses[p.loss] }),
    }),
});
