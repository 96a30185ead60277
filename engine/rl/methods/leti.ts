import * as z from 'zod';
import { defineMethod } from './define-method.ts';
import * as part from '../parts/index.ts';
import { train } from '../kernel/recipe.ts';
import { shared } from '../kernel/shared.ts';
import { pipe } from '../kernel/stage.ts';

/**
 * Textual interactions (LeTI): graded answers are trained on as text, with a mark of good or bad before the
 * prompt and the verifier's message behind a bad answer; no reward enters the loss (section 2). The plain
 * prompt asks for good answers if their mark is empty. A plan that samples and trains in rounds repeats it on
 * own answers; the paper's mixture of pretraining text is left out.
 */
export const leti = defineMethod({
  id: 'leti',
  title: 'LeTI: learning from textual feedback',
  summary:
    'Trains on graded answers as text: marked as good or bad, with the verifier’s message behind bad ones.',
  cites: 'arXiv:2305.10314',
  task: 'answers',
  produces: 'policy',
  params: z.strictObject({
    threshold: z.number().default(1).describe('Reward from which an answer is good.'),
    good: z
      .string()
      .max(40)
      .default('')
      .describe('Mark of a good answer; empty, so that a plain prompt asks for one.'),
    bad: z.string().min(1).max(40).default('!').describe('Mark of a bad answer.'),
    spelled: z
      .string()
      .max(500)
      .default(part.REASONS)
      .describe('Characters of the verifier’s messages that a new tokenizer spells; it leaves out others.'),
    average: shared.counts.default('token'),
  }),
  suggested: {
    optimizer: { learningRate: 2e-3, schedule: 'cosine', warmup: 20 },
    budget: { steps: 600, batch: 32 },
  },
  texts: (p) => [p.spelled, p.good, p.bad],
  sanity: {
    world: 'toy/copy',
    metric: 'eval/pass_at_1',
    atLeast: 0.7,
    params: { spelled: '012' },
    run: { optimizer: { learningRate: 1e-2, schedule: 'cosine' }, budget: { steps: 150, batch: 48 } },
  },
  recipe: (p, task) =>
    train({
      rows: pipe(task.answers, part.scoreOrLabel(task.reward), part.appendFeedback(p)),
      objective: part.likelihood(p),
    }),
});
