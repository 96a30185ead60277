import * as z from 'zod';
import { defineMethod } from './define-method.ts';
import { sum, weighted } from '../kernel/objective.ts';
import * as part from '../parts/index.ts';
import { train } from '../kernel/recipe.ts';
import { constantRate, shared } from '../kernel/shared.ts';
import { pipe } from '../kernel/stage.ts';

/**
 * Online DPO that explores: pairs of one answer of the policy and one of the initial policy, and a term that
 * lowers the likelihood of the initial policy's answers.
 */
export const xpo = defineMethod({
  id: 'xpo',
  title: 'Exploratory Preference Optimization',
  summary:
    'Pairs an answer of the policy with one of the initial policy, and adds a bonus for ' +
    'departing from the latter’s answers.',
  cites: 'arXiv:2405.21046',
  task: 'verifiable',
  produces: 'policy',
  params: z.strictObject({
    beta: shared.beta.default(0.1),
    alpha: z
      .number()
      .min(0)
      .max(10)
      .default(1e-5)
      .describe('Weight of the optimism: the log-likelihood of the initial policy’s answers, made smaller.'),
  }),
  suggested: constantRate(5e-4, { steps: 80, batch: 32 }),
  sanity: {
    world: 'toy/copy',
    metric: 'evaluation/gold',
    atLeast: 0.25,
    params: { beta: 1, alpha: 1e-3 },
    run: { optimizer: { learningRate: 5e-3 }, budget: { steps: 120, batch: 32 } },
  },
  recipe: (p, task) =>
    train({
      rows: pipe(
        task.prompts,
        part.sampleGroups({ groupSize: 1 }),
        part.interleaveInitial,
        part.score(task.reward),
        part.betterFirst,
        part.asPairs,
        part.logpUnder('initial'),
      ),
      objective: sum(part.logisticMargin(p), weighted(p.alpha, part.optimism)),
    }),
});
