import * as z from 'zod';
import { defineMethod } from './define-method.ts';
import * as part from '../parts/index.ts';
import { coTrain, replayOf, role } from '../kernel/recipe.ts';
import { constantRate, range, replay, shared } from '../kernel/shared.ts';
import { pipe } from '../kernel/stage.ts';

/** The trust region is around the policy before the update; staleness is corrected by a weight of its own. */
export const decoupledPpo = defineMethod({
  id: 'decoupled-ppo',
  title: 'Decoupled PPO for stale answers (AReaL)',
  summary:
    'Learns from answers of several earlier policies: the ratio to the newest policy is clipped, and its ' +
    'ratio to the sampler weighs each token.',
  cites: 'arXiv:2505.24298',
  task: 'verifiable',
  produces: 'policy',
  params: z.strictObject({
    groupSize: shared.groupSize.default(8),
    clip: shared.clip.default(0.2),
    cap: range.positive.default(2).describe('Bound of a token’s importance weight.'),
    scaleBy: shared.scaleBy.default('sample'),
    share: replay.share.default(1),
    capacity: replay.capacity.default(2048),
    maxAge: replay.maxAge.default(4),
    epochs: shared.epochs.default(2),
  }),
  suggested: constantRate(3e-4, { steps: 100, batch: 32 }),
  sanity: {
    world: 'toy/copy',
    metric: 'reward/mean',
    atLeast: 0.8,
    run: { optimizer: { learningRate: 3e-3 }, budget: { steps: 120, batch: 16 } },
  },
  recipe: (p, task) =>
    coTrain({
      buffers: { queue: replayOf('policy', p) },
      roles: {
        policy: role({
          rows: pipe(
            task.prompts,
            part.sampleGroups(p),
            part.score(task.reward),
            part.centerByGroup(p),
            part.firstPriority({ by: 'even' }),
            part.withReplay({ from: 'queue', share: p.share }),
            part.logpUnder('policy'),
          ),
          objective: part.decoupledSurrogate({ clipLow: p.clip, clipHigh: p.clip, cap: p.cap }),
          epochs: p.epochs,
        }),
      },
      schedule: [{ turns: { policy: 1 } }],
    }),
});
