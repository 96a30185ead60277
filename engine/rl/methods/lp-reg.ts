import * as z from 'zod';
import { defineMethod } from './define-method.ts';
import * as part from '../parts/index.ts';
import { train } from '../kernel/recipe.ts';
import { constantRate, range, shared } from '../kernel/shared.ts';
import { sum, weighted } from '../kernel/objective.ts';
import { pipe } from '../kernel/stage.ts';

/** GRPO that keeps unlikely but plausible tokens alive when their answers were wrong. */
export const lpReg = defineMethod({
  id: 'lp-reg',
  title: 'Low-probability Regularization',
  summary:
    'Like GRPO; unlikely tokens of bad answers that are not noise are held to a filtered copy of the policy.',
  cites: 'arXiv:2510.03222',
  task: 'verifiable',
  produces: 'policy',
  params: z.strictObject({
    groupSize: shared.groupSize.default(8),
    clip: shared.clip.default(0.2),
    clipHigh: shared.clipHigh.default(0.28),
    scaleBy: shared.scaleBy.default('sample'),
    keepWeight: range.weight.default(1).describe('Weight of the divergence that keeps unlikely tokens.'),
    share: range.fraction.default(0.01).describe('Share of the tokens of a batch that count as unlikely.'),
    minP: z
      .number()
      .positive()
      .max(1)
      .default(0.02)
      .describe('Tokens below this multiple of the largest probability are noise.'),
    epochs: shared.epochs.default(2),
  }),
  suggested: constantRate(3e-4, { steps: 100, batch: 32 }),
  sanity: {
    world: 'toy/copy',
    metric: 'reward/mean',
    atLeast: 0.8,
    params: { share: 0.1 },
    run: { optimizer: { learningRate: 3e-3 }, budget: { steps: 120, batch: 16 } },
  },
  recipe: (p, task) =>
    train({
      rows: pipe(task.prompts, part.sampleGroups(p), part.score(task.reward), part.centerByGroup(p)),
      objective: sum(
        part.clippedSurrogate({ clipLow: p.clip, clipHigh: p.clipHigh, average: 'token' }),
        weighted(p.keepWeight, part.lowProbability(p)),
      ),
      epochs: p.epochs,
    }),
});
