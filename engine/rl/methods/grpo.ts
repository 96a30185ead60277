import * as z from 'zod';
import { defineMethod } from './define-method.ts';
import * as part from '../parts/index.ts';
import { train } from '../kernel/recipe.ts';
import { linearRate, shared } from '../kernel/shared.ts';
import { pipe, when } from '../kernel/stage.ts';
import { sum, weighted } from '../kernel/objective.ts';

/** Critic-free policy gradient: each answer is compared with the others on its prompt. */
export const grpo = defineMethod({
  id: 'grpo',
  title: 'Group Relative Policy Optimization',
  summary: 'Writes several answers to each prompt and makes the better ones of each group likelier.',
  cites: 'arXiv:2402.03300',
  task: 'verifiable',
  produces: 'policy',
  params: z.strictObject({
    groupSize: shared.groupSize.default(8),
    clip: shared.clip.default(0.2),
    klWeight: shared.klWeight.default(0.01),
    scaleBy: shared.scaleBy.default('sample'),
    average: shared.average.default('sequence'),
    dropFlat: z.boolean().default(false).describe('Leave out groups whose rewards are all equal.'),
    epochs: shared.epochs.default(1),
  }),
  presets: { 'dr-grpo': { scaleBy: 'none', average: 'constant', klWeight: 0 } },
  suggested: linearRate(4e-4, { steps: 80, batch: 32 }),
  optimum: (world, { klWeight, scaleBy, groupSize }) =>
    world.fixedPoint({
      divergence: 'reference-to-policy',
      weight: klWeight,
      perDeviation: { none: undefined, population: 1, sample: Math.sqrt(groupSize / (groupSize - 1)) }[
        scaleBy
      ],
    }),
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
        when(p.dropFlat, part.dropFlatGroups),
        part.centerByGroup(p),
        part.logpUnder('initial'),
      ),
      objective: sum(
        part.clippedSurrogate({ clipLow: p.clip, clipHigh: p.clip, average: p.average }),
        weighted(p.klWeight, part.klToReference({ estimator: 'k3', average: p.average })),
      ),
      epochs: p.epochs,
    }),
});
