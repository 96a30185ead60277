import * as z from 'zod';
import { defineMethod } from './define-method.ts';
import * as part from '../parts/index.ts';
import { train } from '../kernel/recipe.ts';
import { constantRate, range, shared } from '../kernel/shared.ts';
import { pipe, when } from '../kernel/stage.ts';

/** Group credit over answers and their re-generations from uncertain tokens, then plain groups. */
export const cure = defineMethod({
  id: 'cure',
  title: 'Critical-token-guided re-concatenation (CURE)',
  summary:
    'Samples answers again from their most uncertain tokens and learns from both together, which keeps the ' +
    'entropy up; the last part of the run uses whole answers alone.',
  cites: 'arXiv:2508.11016',
  task: 'verifiable',
  produces: 'policy',
  params: z.strictObject({
    groupSize: range.answers.default(4).describe('Whole answers per prompt.'),
    branches: z.int().min(1).max(64).default(3).describe('Answers that are sampled again from each of them.'),
    candidates: z
      .int()
      .min(1)
      .max(1000)
      .default(20)
      .describe('Tokens of highest entropy in an answer, of which one is drawn to begin again at.'),
    until: range.fraction
      .default(0.5)
      .describe('Share of the run with re-generated answers; then groups of as many whole ones.'),
    clip: shared.clip.default(0.2),
    clipHigh: shared.clipHigh.default(0.28),
    scaleBy: shared.scaleBy.default('sample'),
    average: shared.average.default('token'),
    dropFlat: z.boolean().default(true).describe('Leave out groups whose rewards are all equal.'),
    epochs: shared.epochs.default(1),
  }),
  suggested: constantRate(4e-4, { steps: 100, batch: 16 }),
  sanity: {
    world: 'toy/copy',
    metric: 'reward/mean',
    atLeast: 0.8,
    params: { branches: 1, candidates: 2 },
    run: { optimizer: { learningRate: 6e-3 }, budget: { steps: 72, batch: 16 } },
  },
  recipe: (p, task) =>
    train({
      rows: pipe(
        task.prompts,
        part.branchAtEntropy(p),
        part.score(task.reward),
        when(p.dropFlat, part.dropFlatGroups),
        part.centerByGroup(p),
      ),
      objective: part.clippedSurrogate({ clipLow: p.clip, clipHigh: p.clipHigh, average: p.average }),
      epochs: p.epochs,
    }),
});
