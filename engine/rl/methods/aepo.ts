import * as z from 'zod';
import { defineMethod } from './define-method.ts';
import * as part from '../parts/index.ts';
import { train } from '../kernel/recipe.ts';
import { constantRate, range, shared } from '../kernel/shared.ts';
import { sum, weighted } from '../kernel/objective.ts';
import { pipe } from '../kernel/stage.ts';

/** GRPO with its entropy held at a target by imitating right answers of a hotter or a colder policy. */
export const aepo = defineMethod({
  id: 'aepo',
  title: 'Arbitrary Entropy Policy Optimization (AEPO)',
  summary:
    'Like GRPO; besides, it imitates right answers drawn hot while the entropy is below its target, and cold ' +
    'while it is above.',
  cites: 'arXiv:2510.08141',
  task: 'verifiable',
  produces: 'policy',
  params: z.strictObject({
    groupSize: shared.groupSize.default(8),
    clip: shared.clip.default(0.2),
    scaleBy: shared.scaleBy.default('sample'),
    target: z.number().min(0).max(20).default(0.3).describe('Entropy to hold, in nats per token.'),
    high: z.number().min(1).max(5).default(1.4).describe('Temperature of hot answers, as a factor.'),
    low: z.number().min(0.1).max(1).default(0.7).describe('Temperature of cold answers, as a factor.'),
    tempered: z.int().min(1).max(64).default(4).describe('Hot or cold answers per prompt.'),
    imitation: range.weight.default(0.1).describe('Weight of their imitation.'),
    epochs: shared.epochs.default(1),
  }),
  suggested: constantRate(4e-4, { steps: 100, batch: 32 }),
  sanity: {
    world: 'toy/copy',
    metric: 'reward/mean',
    atLeast: 0.8,
    params: { target: 0.05 },
    run: { optimizer: { learningRate: 4e-3 }, budget: { steps: 100, batch: 16 } },
  },
  recipe: (p, task) =>
    train({
      rows: pipe(
        task.prompts,
        part.sampleGroups(p),
        part.addTempered(p),
        part.score(task.reward),
        part.centerByGroup(p),
        part.weighFresh,
      ),
      objective: sum(
        part.clippedSurrogate({ clipLow: p.clip, clipHigh: p.clip, average: 'token' }),
        weighted(p.imitation, part.temperedReinforce()),
      ),
      epochs: p.epochs,
    }),
});
