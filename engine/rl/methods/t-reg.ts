import * as z from 'zod';
import { defineMethod } from './define-method.ts';
import { sum, weighted } from '../kernel/objective.ts';
import * as part from '../parts/index.ts';
import { train } from '../kernel/recipe.ts';
import { constantRate, range, shared } from '../kernel/shared.ts';
import { pipe, when } from '../kernel/stage.ts';

/** DPO with token-level rewards from the model itself, prompted for a good and for a bad answer. */
export const tReg = defineMethod({
  id: 't-reg',
  title: 'Token-Level Reward Regularization',
  summary: 'Adds token rewards to DPO, from the initial model under two opposite instructions.',
  cites: 'arXiv:2412.02685',
  task: 'preferences',
  produces: 'policy',
  params: z.strictObject({
    beta: shared.beta.default(0.1),
    alpha: range.weight.default(0.25).describe('Weight of the token rewards.'),
    good: z
      .string()
      .max(2000)
      .default('Give a correct, helpful and clear answer.\n\n')
      .describe('Instruction before the prompt for a good answer.'),
    bad: z
      .string()
      .max(2000)
      .default('Give an incorrect, unhelpful and confusing answer.\n\n')
      .describe('Instruction before the prompt for a bad answer.'),
    ties: shared.ties.default('drop'),
  }),
  suggested: constantRate(1e-4, { steps: 150, batch: 32 }),
  sanity: {
    world: 'toy/pairs',
    metric: 'preference-evaluation/accuracy',
    atLeast: 0.9,
    params: { good: 'aaa', bad: 'bcb' },
    run: { optimizer: { learningRate: 3e-3 }, budget: { steps: 60, batch: 32 } },
  },
  recipe: (p, task) =>
    train({
      rows: pipe(
        task.pairs,
        when(p.ties === 'drop', part.dropTies),
        part.logpUnder('initial'),
        part.contrastPrompts(p),
      ),
      objective: sum(part.logisticMargin(p), weighted(p.alpha, part.contrastRewards(p))),
    }),
});
