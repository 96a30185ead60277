import * as z from 'zod';
import { defineMethod } from './define-method.ts';
import * as part from '../parts/index.ts';
import { train } from '../kernel/recipe.ts';
import { constantRate, range, shared } from '../kernel/shared.ts';
import { pipe } from '../kernel/stage.ts';

/** GRPO whose advantages grow with the rank of an answer's hidden states, and with how that changes. */
export const verl = defineMethod({
  id: 'verl',
  title: 'Velocity-exploiting rank learning (VERL)',
  summary:
    'Like GRPO, with a bonus for answers whose hidden states have a high effective rank (exploration) or one ' +
    'that grows fast (exploitation).',
  cites: 'arXiv:2509.23808',
  task: 'verifiable',
  produces: 'policy',
  params: z.strictObject({
    groupSize: shared.groupSize.default(8),
    clip: shared.clip.default(0.2),
    clipHigh: shared.clipHigh.default(0.2),
    scaleBy: shared.scaleBy.default('sample'),
    average: shared.average.default('token'),
    stride: z.int().min(1).max(1024).default(8).describe('Tokens between two measurements of the rank.'),
    kappa: z.number().min(1).max(1000).default(2).describe('The bonus is at most |advantage| ÷ this.'),
    decay: range.fraction.default(0.9).describe('Share of the running means that a batch keeps.'),
    epochs: shared.epochs.default(1),
  }),
  suggested: constantRate(4e-4, { steps: 100, batch: 32 }),
  sanity: {
    world: 'toy/copy',
    metric: 'reward/mean',
    atLeast: 0.8,
    params: { stride: 1 },
    run: { optimizer: { learningRate: 3e-3 }, budget: { steps: 120, batch: 16 } },
  },
  recipe: (p, task) =>
    train({
      rows: pipe(
        task.prompts,
        part.sampleGroups(p),
        part.score(task.reward),
        part.centerByGroup(p),
        part.rankShaping(p),
      ),
      objective: part.clippedSurrogate({ clipLow: p.clip, clipHigh: p.clipHigh, average: p.average }),
      epochs: p.epochs,
    }),
});
