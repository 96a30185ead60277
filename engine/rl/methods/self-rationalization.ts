import * as z from 'zod';
import { defineMethod } from './define-method.ts';
import * as part from '../parts/index.ts';
import { train } from '../kernel/recipe.ts';
import { constantRate, range, shared } from '../kernel/shared.ts';
import { pipe } from '../kernel/stage.ts';
import { differ, sampledJudge, votesOf } from './params/sampled-judge.ts';

/**
 * A judge learns from its own rationales by DPO: of several judgements of an answer, one with the right
 * verdict is preferred to one without (section 3).
 */
export const selfRationalization = defineMethod({
  id: 'self-rationalization',
  title: 'Self-rationalizing judge',
  summary:
    'A judge samples several rationales with verdicts, and learns to prefer those whose verdict is right to ' +
    'those whose verdict is not.',
  cites: 'arXiv:2410.05495',
  task: 'answers',
  produces: 'reward',
  params: z
    .strictObject({
      ...sampledJudge,
      beta: shared.beta.default(0.1),
      groupSize: range.answers
        .default(8)
        .describe('Judgements of an answer; groups without a right and a wrong one teach nothing.'),
    })
    .refine(...differ),
  suggested: constantRate(4e-4, { steps: 200, batch: 32 }),
  head: 'next-token',
  texts: (p) => [p.right, p.wrong],
  judgeOutput: votesOf,
  sanity: {
    world: 'toy/pairs',
    worldParams: { length: 2 },
    metric: 'eval/answers/auc',
    atLeast: 0.85,
    params: { tokens: 2 },
    run: { optimizer: { learningRate: 5e-3 }, budget: { steps: 80, batch: 32 } },
  },
  recipe: (p, task) =>
    train({
      rows: pipe(
        task.answers,
        part.scoreOrLabel(task.reward),
        part.balanceClasses,
        part.sampleVerdicts(p),
        part.bestAgainstWorst,
        part.asPairs,
        part.logpUnder('initial'),
      ),
      objective: part.ratioMargin({ beta: p.beta, loss: part.pairLosses.logistic }),
    }),
});
