import * as z from 'zod';
import { defineMethod } from './define-method.ts';
import * as part from '../parts/index.ts';
import { coTrain, replayOf, role } from '../kernel/recipe.ts';
import { constantRate, range, replay, shared } from '../kernel/shared.ts';
import { pipe } from '../kernel/stage.ts';

/** GRPO that imitates its own earlier successes while they are better than what it does now. */
export const spear = defineMethod({
  id: 'spear',
  title: 'Self-imitation with progressive exploration (SPEAR)',
  summary:
    'Keeps answers that were better than their group, and learns from them again while they beat the median ' +
    'of fresh ones.',
  cites: 'arXiv:2509.22601',
  task: 'verifiable',
  produces: 'policy',
  params: z.strictObject({
    groupSize: shared.groupSize.default(8),
    clip: shared.clip.default(0.2),
    clipHigh: shared.clipHigh.default(0.28),
    share: replay.share.default(0.5),
    capacity: replay.capacity.default(1024),
    maxAge: replay.maxAge.default(16),
    weight: range.weight.default(0.5).describe('Weight of an earlier answer, once the warm-up is over.'),
    warmup: range.fraction.default(0.2).describe('Share of the run over which that weight rises from 0.'),
    uncertain: range.fraction
      .default(0.002)
      .describe('Share of tokens without credit: those that would lower the entropy most.'),
  }),
  suggested: constantRate(4e-4, { steps: 100, batch: 32 }),
  sanity: {
    world: 'toy/copy',
    metric: 'reward/mean',
    atLeast: 0.8,
    run: { optimizer: { learningRate: 5e-3 }, budget: { steps: 100, batch: 16 } },
  },
  recipe: (p, task) =>
    coTrain({
      buffers: { successes: replayOf('policy', p) },
      roles: {
        policy: role({
          rows: pipe(
            task.prompts,
            part.sampleGroups(p),
            part.score(task.reward),
            part.centerByGroup({ scaleBy: 'sample' }),
            part.firstPriority({ by: 'better' }),
            part.withReplay({ from: 'successes', share: p.share }),
            part.rebaselined,
            part.weighReplayed(p),
            part.dropCovariant({ share: p.uncertain }),
          ),
          objective: part.clippedSurrogate({ clipLow: p.clip, clipHigh: p.clipHigh, average: 'token' }),
        }),
      },
      schedule: [{ turns: { policy: 1 } }],
    }),
});
