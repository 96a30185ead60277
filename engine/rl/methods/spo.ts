import * as z from 'zod';
import { defineMethod } from './define-method.ts';
import { sum, weighted } from '../kernel/objective.ts';
import * as part from '../parts/index.ts';
import { train } from '../kernel/recipe.ts';
import { constantRate, range, shared } from '../kernel/shared.ts';
import { pipe } from '../kernel/stage.ts';

/**
 * Self-play on preferences: an answer earns its win rate against the policy's other answers, so preferences
 * need not be transitive.
 */
export const spo = defineMethod({
  id: 'spo',
  title: 'Self-Play Preference Optimization',
  summary: 'Compares each answer with the others of its prompt and rewards its win rate.',
  cites: 'arXiv:2401.04056',
  task: 'verifiable',
  produces: 'policy',
  params: z.strictObject({
    groupSize: range.answers.default(8).describe('Answers per prompt; each is compared with all others.'),
    preference: z
      .enum(['sure', 'logistic'])
      .default('sure')
      .describe('The winner: always the higher reward, or with the odds given by the difference of rewards.'),
    scaleBy: shared.scaleBy.default('none'),
    clip: shared.clip.default(0.2),
    klWeight: shared.klWeight.default(0.01),
  }),
  suggested: constantRate(5e-4, { steps: 80, batch: 32 }),
  sanity: {
    world: 'toy/copy',
    metric: 'reward/mean',
    atLeast: 0.8,
    run: { optimizer: { learningRate: 5e-3 }, budget: { steps: 80, batch: 16 } },
  },
  optimum: (world, p) =>
    p.klWeight === 0 ? world.fixedPoint({ divergence: 'policy-to-reference', weight: 0 }) : undefined,
  recipe: (p, task) =>
    train({
      rows: pipe(
        task.prompts,
        part.sampleGroups(p),
        part.score(task.reward),
        part.creditByWins(p),
        part.logpUnder('initial'),
      ),
      objective: sum(
        part.clippedSurrogate({ clipLow: p.clip, clipHigh: p.clip }),
        weighted(p.klWeight, part.klToReference({ estimator: 'k3' })),
      ),
    }),
});
