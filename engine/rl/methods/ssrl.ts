import * as z from 'zod';
import { defineMethod } from './define-method.ts';
import { sum, weighted } from '../kernel/objective.ts';
import * as part from '../parts/index.ts';
import { train } from '../kernel/recipe.ts';
import { constantRate, shared } from '../kernel/shared.ts';
import { pipe } from '../kernel/stage.ts';

const mark = z.string().min(1).max(40);

/** GRPO for a model that plays its own search engine: what it recalls as a result is not trained. */
export const ssrl = defineMethod({
  id: 'ssrl',
  title: 'Self-search reinforcement learning (SSRL)',
  summary:
    'The model writes search and result from memory; tokens of results, between two marks, are left out of ' +
    'the loss, everything around them learns from the outcome.',
  cites: 'arXiv:2508.10874',
  task: 'verifiable',
  produces: 'policy',
  params: z.strictObject({
    groupSize: shared.groupSize.default(8),
    opens: mark.default('<information>').describe('Text before a result.'),
    closes: mark.default('</information>').describe('Text behind it.'),
    clip: shared.clip.default(0.2),
    clipHigh: shared.clipHigh.default(0.2),
    scaleBy: shared.scaleBy.default('sample'),
    average: shared.average.default('sequence'),
    klWeight: shared.klWeight.default(0.001),
    epochs: shared.epochs.default(1),
  }),
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
        part.withoutQuoted(p),
        part.centerByGroup(p),
        part.logpUnder('initial'),
      ),
      objective: sum(
        part.clippedSurrogate({ clipLow: p.clip, clipHigh: p.clipHigh, average: p.average }),
        weighted(p.klWeight, part.klToReference({ estimator: 'k3', average: p.average })),
      ),
      epochs: p.epochs,
    }),
});
