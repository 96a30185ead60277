import * as z from 'zod';
import { defineMethod } from './define-method.ts';
import * as part from '../parts/index.ts';
import { train } from '../kernel/recipe.ts';
import { linearRate } from '../kernel/shared.ts';
import { pipe } from '../kernel/stage.ts';

const text = z.string().min(1).max(400);

/**
 * A reward model that reads principles: each pair is judged by principles drawn for it, so that whoever uses
 * the model chooses them anew (section 3).
 */
export const salmon = defineMethod({
  id: 'salmon',
  title: 'Principle-following reward model',
  summary:
    'Learns to score an answer by the principles in front of the prompt, negated ones included; each scorer of ' +
    'the run is one.',
  cites: 'arXiv:2310.05910',
  task: 'preferences',
  produces: 'reward',
  params: z.strictObject({
    principles: z
      .array(text)
      .min(1)
      .max(32)
      .default(['+'])
      .describe(
        'Text of a principle for each scorer of the run; without scorers, for the stored preference.',
      ),
    negation: text.default('!').describe('Precedes a principle that answers must break.'),
    end: text.default(':').describe('Follows the principles; then comes the prompt.'),
  }),
  suggested: linearRate(1e-3, { steps: 200, batch: 64 }),
  texts: (p) => [...p.principles, p.negation, p.end],
  judgeOutput: (p) => ({
    kind: 'scores',
    how: 'first',
    caution: 1,
    condition: `${p.principles[0]}${p.end}`,
  }),
  sanity: {
    world: 'toy/pairs',
    metric: 'eval/accuracy',
    atLeast: 0.85,
    run: { optimizer: { learningRate: 4e-3 }, budget: { steps: 120, batch: 32 } },
  },
  recipe: (p, task) =>
    train({
      rows: pipe(task.pairs, part.byPrinciple(task.reward, p)),
      objective: part.bradleyTerry,
    }),
});
