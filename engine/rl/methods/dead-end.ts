import * as z from 'zod';
import { defineMethod } from './define-method.ts';
import * as part from '../parts/index.ts';
import { train } from '../kernel/recipe.ts';
import { linearRate, range, shared } from '../kernel/shared.ts';
import { pipe } from '../kernel/stage.ts';

/**
 * Dead-end analysis: a model whose logits tell, for every next token, whether the text can still end well. It
 * caps the tokens of another model while that samples (`sampling.guidance`, how "cap").
 */
export const deadEnd = defineMethod({
  id: 'dead-end',
  title: 'Dead-end value',
  summary:
    'Learns after which tokens an answer can no longer end well; as a guide it then caps those tokens of any ' +
    'model with the same tokenizer.',
  cites: 'arXiv:2302.14003',
  task: 'answers',
  produces: 'reward',
  params: z.strictObject({
    bootstrap: range.fraction
      .default(0.5)
      .describe('Share of a token’s target that is the next token’s value; the rest is the end itself.'),
    average: shared.average.default('token'),
  }),
  presets: { 'temporal-differences': { bootstrap: 1 }, outcomes: { bootstrap: 0 } },
  suggested: linearRate(1e-3, { steps: 300, batch: 64 }),
  head: 'next-token',
  judgeOutput: () => ({ kind: 'dead-end', how: 'first', caution: 1 }),
  sanity: {
    world: 'toy/pairs',
    worldParams: { length: 2 },
    metric: 'eval/answers/auc',
    atLeast: 0.9,
    run: { optimizer: { learningRate: 5e-3 }, budget: { steps: 80, batch: 32 } },
  },
  recipe: (p, task) =>
    train({ rows: pipe(task.answers, part.scoreOrLabel(task.reward)), objective: part.deadEnds(p) }),
});
