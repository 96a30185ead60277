import * as z from 'zod';
import { defineMethod } from './define-method.ts';
import * as part from '../parts/index.ts';
import { train } from '../kernel/recipe.ts';
import { constantRate, shared } from '../kernel/shared.ts';
import { sum, weighted } from '../kernel/objective.ts';
import { pipe } from '../kernel/stage.ts';
import { differ, sampledJudge, votesOf } from './params/sampled-judge.ts';

/**
 * Rule-based reinforcement of a judge that writes: judgements are sampled after each answer, and those that
 * end with the right verdict earn 1, others −1 (section 3.2). Votes over several are its score (section 4).
 */
export const spct = defineMethod({
  id: 'spct',
  title: 'Self-Principled Critique Tuning',
  summary:
    'A judge writes principles or a critique before its verdict, and is rewarded for right verdicts; several ' +
    'judgements of an answer vote.',
  cites: 'arXiv:2504.02495',
  task: 'answers',
  produces: 'reward',
  params: z
    .strictObject({
      ...sampledJudge,
      groupSize: shared.groupSize.default(8).describe('Judgements of an answer that are compared.'),
      clip: shared.clip.default(0.2),
      klWeight: shared.klWeight.default(0.08),
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
    params: { tokens: 2, klWeight: 0 },
    run: { optimizer: { learningRate: 5e-3 }, budget: { steps: 80, batch: 32 } },
  },
  recipe: (p, task) =>
    train({
      rows: pipe(
        task.answers,
        part.scoreOrLabel(task.reward),
        part.balanceClasses,
        part.sampleVerdicts(p),
        part.centerByGroup({ scaleBy: 'sample' }),
        part.logpUnder('initial'),
      ),
      objective: sum(
        part.clippedSurrogate({ clipLow: p.clip, clipHigh: p.clip }),
        weighted(p.klWeight, part.klToReference({ estimator: 'k3' })),
      ),
    }),
});
