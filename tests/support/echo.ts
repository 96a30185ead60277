import * as z from 'zod';
import { defineMethod } from '../../engine/rl/methods/define-method.ts';
import * as part from '../../engine/rl/parts/index.ts';
import { coTrain, role, rowsOf } from '../../engine/rl/kernel/recipe.ts';
import { pipe } from '../../engine/rl/kernel/stage.ts';

/**
 * A writer trains by policy gradient; a reader imitates its answers, weighted by the writer's current
 * probability.
 */
export const echo = defineMethod({
  id: 'echo',
  title: 'Echo',
  summary: '',
  cites: '',
  task: 'verifiable',
  produces: 'policy',
  suggested: {},
  params: z.object({}),
  recipe: (_, task) =>
    coTrain({
      buffers: { written: rowsOf('policy', { last: 48 }) },
      roles: {
        policy: role({
          rows: pipe(
            task.prompts,
            part.sampleGroups({ groupSize: 2 }),
            part.score(task.reward),
            part.centerByGroup({ scaleBy: 'none' }),
          ),
          objective: part.clippedSurrogate({ clipLow: 0.2, clipHigh: 0.2 }),
        }),
        reader: role({
          rows: pipe(part.rowsFrom('written', ['tokens', 'mask', 'weight']), part.logpUnder('policy')),
          objective: part.likelihood({ average: 'token' }),
        }),
      },
      schedule: [{ rounds: 2, turns: { policy: 2 } }, { turns: { policy: 1, reader: 1 } }],
    }),
});
