import * as z from 'zod';
import { defineMethod } from './define-method.ts';
import * as part from '../parts/index.ts';
import { train } from '../kernel/recipe.ts';
import { constantRate, range, shared } from '../kernel/shared.ts';
import { pipe } from '../kernel/stage.ts';

/** GRPO whose credit is moved to the tokens that make right answers likelier, or away from them. */
export const thr = defineMethod({
  id: 'thr',
  title: 'Token Hidden Reward (THR)',
  summary:
    'Like GRPO; each token’s credit is scaled by its influence on the group’s right answers, towards ' +
    'exploitation or exploration.',
  cites: 'arXiv:2510.03669',
  task: 'verifiable',
  produces: 'policy',
  params: z.strictObject({
    groupSize: shared.groupSize.default(8),
    clip: shared.clip.default(0.2),
    clipHigh: shared.clipHigh.default(0.2),
    scaleBy: shared.scaleBy.default('sample'),
    average: shared.average.default('token'),
    slider: z
      .number()
      .min(-1)
      .max(1)
      .default(0.1)
      .describe('Above 0 favours tokens that make right answers likelier (exploits); below 0 the others.'),
    least: range.fraction
      .default(0)
      .describe('Tokens with at most this share of the group’s largest influence get no credit.'),
    epochs: shared.epochs.default(1),
  }),
  presets: { exploit: { slider: 0.2 }, explore: { slider: -0.2 } },
  suggested: constantRate(4e-4, { steps: 100, batch: 32 }),
  sanity: {
    world: 'toy/copy',
    metric: 'reward/mean',
    atLeast: 0.8,
    run: { optimizer: { learningRate: 5e-3 }, budget: { steps: 80, batch: 16 } },
  },
  recipe: (p, task) =>
    train({
      rows: pipe(
        task.prompts,
        part.sampleGroups(p),
        part.score(task.reward),
        part.centerByGroup(p),
        part.hiddenReward(p),
      ),
      objective: part.clippedSurrogate({ clipLow: p.clip, clipHigh: p.clipHigh, average: p.average }),
      epochs: p.epochs,
    }),
});
