import * as z from 'zod';
import { defineMethod } from './define-method.ts';
import * as part from '../parts/index.ts';
import { train } from '../kernel/recipe.ts';
import { linearRate, range } from '../kernel/shared.ts';
import { pipe } from '../kernel/stage.ts';

/** A judge that learns from verdicts of a weaker one, and trusts its own more and more. */
export const weakToStrong = defineMethod({
  id: 'weak-to-strong',
  title: 'Weak-to-strong generalization',
  summary:
    'Learns verdicts of a weaker judge, mixed with its own hardened ones, whose weight grows: where both ' +
    'disagree, it comes to trust itself.',
  cites: 'arXiv:2312.09390',
  task: 'answers',
  produces: 'reward',
  params: z.strictObject({
    most: range.fraction
      .default(0.5)
      .describe('Weight of its own verdicts after the warm-up; 0: only the weak ones.'),
    warmup: range.fraction.default(0.2).describe('Share of the run over which that weight grows from 0.'),
  }),
  presets: { naive: { most: 0 }, 'large-gap': { most: 0.75 } },
  suggested: linearRate(1e-3, { steps: 200, batch: 64 }),
  judgeOutput: () => ({ kind: 'probability', how: 'first', caution: 1 }),
  sanity: {
    world: 'toy/pairs',
    worldParams: { letters: 3, length: 2 },
    metric: 'eval/answers/auc',
    atLeast: 0.9,
    params: { warmup: 1 },
    run: { optimizer: { learningRate: 3e-3 }, budget: { steps: 80, batch: 32 } },
  },
  recipe: (p, task) =>
    train({
      rows: pipe(task.answers, part.scoreOrLabel(task.reward), part.trustOwn(p)),
      objective: part.answerEntropy,
    }),
});
