import { defineMethod } from './define-method.ts';
import * as part from '../parts/index.ts';
import { coTrain, role, rowsOf, teacher } from '../kernel/recipe.ts';
import { constantRate } from '../kernel/shared.ts';
import { pipe } from '../kernel/stage.ts';
import { ppoCritic, ppoObjective } from './params/ppo-critic.ts';
import { rlgfParams } from './params/rlgf.ts';

/** PPO from states to which a guide model leads, or on steps that the guide then completes. */
export const rlgf = defineMethod({
  id: 'rlgf',
  title: 'Reinforcement learning with guided feedback (RLGF)',
  summary:
    'A guide model writes the beginning of an answer, which the policy completes, or completes what the ' +
    'policy began; PPO learns on the policy’s own tokens.',
  cites: 'arXiv:2306.11816',
  task: 'verifiable',
  produces: 'policy',
  params: rlgfParams,
  presets: {
    'ppo-plus-plus': { use: 'prefix' },
    aggrevated: { use: 'rollout', gamma: 1, lambda: 1 },
    d2lols: { use: 'rollout-first' },
  },
  suggested: constantRate(3e-4, { steps: 200, batch: 128 }),
  sanity: {
    world: 'toy/copy',
    metric: 'evaluation/gold',
    atLeast: 0.7,
    params: { share: 0.25 },
    run: { optimizer: { learningRate: 5e-3 }, budget: { steps: 200, batch: 128 } },
  },
  recipe: (p, task) =>
    coTrain({
      buffers: { rollouts: rowsOf('policy', { fresh: true }) },
      roles: {
        policy: role({
          rows: pipe(
            task.prompts,
            part.sampleWithGuide(p),
            part.score(task.reward),
            part.logpUnder('initial'),
            part.tokenRewards(p),
            part.valuesOf('critic'),
            part.gae(p),
            part.whiten({ on: p.whiten }),
          ),
          objective: ppoObjective(p),
          epochs: p.epochs,
        }),
        critic: ppoCritic(p),
        guide: teacher(),
      },
      schedule: [{ turns: { policy: 1, critic: 1 } }],
    }),
});
