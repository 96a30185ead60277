import * as z from 'zod';
import { defineMethod } from './define-method.ts';
import * as part from '../parts/index.ts';
import { coTrain, role, teacher } from '../kernel/recipe.ts';
import { linearRate, range, shared } from '../kernel/shared.ts';
import { pipe } from '../kernel/stage.ts';
import { sum } from '../kernel/objective.ts';

/** GRPO that also moves towards a teacher's probabilities of the policy's answers. */
export const kdrl = defineMethod({
  id: 'kdrl',
  title: 'Knowledge distillation with reinforcement learning',
  summary: 'Learns from rewards as GRPO does, and from a teacher’s probabilities of the same answers.',
  cites: 'arXiv:2506.02208',
  task: 'verifiable',
  produces: 'policy',
  params: z.strictObject({
    groupSize: shared.groupSize.default(8),
    clip: shared.clip.default(0.2),
    scaleBy: shared.scaleBy.default('sample'),
    average: shared.average.default('token'),
    teacherWeight: range.weight.default(0.02).describe('Weight of the teacher’s divergence at first.'),
    teacherWeightEnd: range.weight
      .default(0.005)
      .describe('Weight of the divergence from the teacher at the end; it falls linearly.'),
    onlyWrong: z.boolean().default(false).describe('Distil only answers whose reward is below one half.'),
    epochs: shared.epochs.default(1),
  }),
  suggested: linearRate(4e-4, { steps: 80, batch: 32 }),
  sanity: {
    world: 'toy/copy',
    metric: 'reward/mean',
    atLeast: 0.8,
    run: { optimizer: { learningRate: 5e-3 }, budget: { steps: 80, batch: 16 } },
  },
  recipe: (p, task) =>
    coTrain({
      buffers: {},
      roles: {
        policy: role({
          rows: pipe(
            task.prompts,
            part.sampleGroups(p),
            part.score(task.reward),
            part.centerByGroup(p),
            part.logpUnder('teacher'),
            part.distillWeight({ from: p.teacherWeight, to: p.teacherWeightEnd, onlyWrong: p.onlyWrong }),
          ),
          objective: sum(
            part.clippedSurrogate({ clipLow: p.clip, clipHigh: p.clip, average: p.average }),
            part.distillFrom('teacher', { estimator: 'k2', average: p.average }),
          ),
          epochs: p.epochs,
        }),
        teacher: teacher(),
      },
      schedule: [{ turns: { policy: 1 } }],
    }),
});
