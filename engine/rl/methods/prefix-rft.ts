import * as z from 'zod';
import { defineMethod } from './define-method.ts';
import * as part from '../parts/index.ts';
import { train } from '../kernel/recipe.ts';
import { constantRate, range, shared } from '../kernel/shared.ts';
import { pipe } from '../kernel/stage.ts';

/**
 * Imitation and reinforcement in one group: one answer per group continues a prefix of a worked one, and is
 * compared with the others.
 */
export const prefixRft = defineMethod({
  id: 'prefix-rft',
  title: 'Prefix-RFT',
  summary:
    'Like GRPO, but one answer of each group continues a prefix of a worked answer; the prefixes ' +
    'grow shorter as the run goes on.',
  cites: 'arXiv:2507.01679',
  task: 'verifiable',
  produces: 'policy',
  params: z.strictObject({
    groupSize: range.answers.default(8).describe('Answers per prompt, of which one continues a prefix.'),
    from: range.fraction
      .default(0.95)
      .describe('Prefix length at the start, as a share of the worked answer.'),
    to: range.fraction.default(0.05).describe('Prefix length at the end.'),
    uncertain: range.fraction
      .default(0.2)
      .describe('Share of the prefix tokens that are trained: those with the highest entropy.'),
    clip: shared.clip.default(0.2),
    scaleBy: shared.scaleBy.default('none'),
    average: shared.average.default('token'),
    epochs: shared.epochs.default(1),
  }),
  suggested: constantRate(5e-4, { steps: 80, batch: 32 }),
  sanity: {
    world: 'toy/copy',
    metric: 'reward/mean',
    atLeast: 0.8,
    params: { scaleBy: 'sample', uncertain: 0.5 },
    run: { optimizer: { learningRate: 5e-3 }, budget: { steps: 64, batch: 16 } },
  },
  recipe: (p, task) =>
    train({
      rows: pipe(
        task.guided,
        part.sampleWithPrefix(p),
        part.score(task.reward),
        part.centerByGroup(p),
        part.onlyUncertainPrefix({ share: p.uncertain }),
      ),
      objective: part.clippedSurrogate({ clipLow: p.clip, clipHigh: p.clip, average: p.average }),
      epochs: p.epochs,
    }),
});
