import { defineMethod } from './define-method.ts';
import { sum, weighted } from '../kernel/objective.ts';
import * as part from '../parts/index.ts';
import { coTrain, frozen, role, rowsOf } from '../kernel/recipe.ts';
import { constantRate } from '../kernel/shared.ts';
import { pipe } from '../kernel/stage.ts';
import { dphRlParams } from './params/dph-rl.ts';

/** GRPO on unsolved prompts, while stored answers of the initial model to solved ones keep its variety. */
export const dphRl = defineMethod({
  id: 'dph-rl',
  title: 'Diversity-preserving hybrid RL (DPH-RL)',
  summary:
    'Explores prompts that the initial model does not solve, and rehearses its stored answers to the others ' +
    'under a divergence that covers all of them.',
  cites: 'arXiv:2509.07430',
  task: 'verifiable',
  produces: 'policy',
  params: dphRlParams,
  presets: { 'dph-f': { divergence: 'forward' } },
  suggested: constantRate(3e-4, { steps: 100, batch: 32 }),
  sanity: {
    world: 'toy/copy',
    metric: 'reward/mean',
    atLeast: 0.8,
    params: { presample: 2 },
    run: { optimizer: { learningRate: 5e-3 }, budget: { steps: 80, batch: 16 } },
  },
  recipe: (p, task) =>
    coTrain({
      buffers: { solved: rowsOf('base', { last: p.capacity }) },
      roles: {
        policy: role({
          rows: pipe(
            task.prompts,
            part.skipStored({ from: 'solved' }),
            part.sampleGroups(p),
            part.score(task.reward),
            part.centerByGroup(p),
            part.withRehearsal({ from: 'solved', share: p.rehearsal }),
          ),
          objective: sum(
            part.clippedSurrogate({ clipLow: p.clip, clipHigh: p.clipHigh, average: 'token' }),
            weighted(p.divergenceWeight, part.rehearsalDivergence({ kind: p.divergence })),
          ),
          epochs: p.epochs,
        }),
        base: frozen(
          pipe(
            task.prompts,
            part.sampleGroups(p),
            part.score(task.reward),
            part.keepSolved({ share: p.solvedFrom }),
          ),
        ),
      },
      schedule: [{ rounds: p.presample, turns: { base: 0 } }, { turns: { policy: 1 } }],
    }),
});
