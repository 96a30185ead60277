import * as z from 'zod';
import { defineMethod } from './define-method.ts';
import { sum, weighted } from '../kernel/objective.ts';
import * as part from '../parts/index.ts';
import { train } from '../kernel/recipe.ts';
import { constantRate, range, shared } from '../kernel/shared.ts';
import { pipe } from '../kernel/stage.ts';

/** Reinforcement with a preference between groups: right answers against wrong ones, alike on each side. */
export const oorl = defineMethod({
  id: 'oorl',
  title: 'Reinforcement with group preferences (OORL, GEPO)',
  summary:
    'Like GRPO, plus a margin between the right and the wrong answers of a group as sets, whose members are ' +
    'to be equally likely.',
  cites: 'arXiv:2505.12723',
  task: 'verifiable',
  produces: 'policy',
  params: z.strictObject({
    groupSize: shared.groupSize.default(8),
    clip: shared.clip.default(0.2),
    scaleBy: shared.scaleBy.default('sample'),
    groupWeight: range.weight.default(0.1).describe('Weight of the preference between the two groups.'),
    beta: shared.beta.default(0.1),
    equality: range.weight.default(0.1).describe('Weight of the variance within a group.'),
    epochs: shared.epochs.default(1),
  }),
  suggested: constantRate(4e-4, { steps: 100, batch: 32 }),
  sanity: {
    world: 'toy/copy',
    metric: 'reward/mean',
    atLeast: 0.8,
    run: { optimizer: { learningRate: 5e-3 }, budget: { steps: 80, batch: 32 } },
  },
  recipe: (p, task) =>
    train({
      rows: pipe(
        task.prompts,
        part.sampleGroups(p),
        part.score(task.reward),
        part.centerByGroup(p),
        part.logpUnder('initial'),
      ),
      objective: sum(
        part.clippedSurrogate({ clipLow: p.clip, clipHigh: p.clip, average: 'token' }),
        weighted(p.groupWeight, part.groupPreference(p)),
      ),
      epochs: p.epochs,
    }),
});
