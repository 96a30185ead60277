import { defineMethod } from './define-method.ts';
import * as part from '../parts/index.ts';
import { coTrain, role, rowsOf } from '../kernel/recipe.ts';
import { constantRate } from '../kernel/shared.ts';
import { pipe } from '../kernel/stage.ts';
import { sum, weighted } from '../kernel/objective.ts';
import { ppoCritic } from './params/ppo-critic.ts';
import { satoriParams } from './params/satori.ts';

/** PPO that also begins inside own answers, right and wrong, and is paid for repairing the wrong ones. */
export const satori = defineMethod({
  id: 'satori',
  title: 'Restart and explore (Satori)',
  summary:
    'PPO from prompts and from the middle of own earlier answers, with a bonus for repairing wrong beginnings ' +
    'and a cost of spoiling right ones.',
  cites: 'arXiv:2502.02508',
  task: 'verifiable',
  produces: 'policy',
  params: satoriParams,
  suggested: constantRate(3e-4, { steps: 200, batch: 128 }),
  presets: { 'reflect-mark': { reflect: '~' } },
  texts: ({ reflect }) => [reflect],
  sanity: {
    world: 'toy/copy',
    metric: 'evaluation/gold',
    atLeast: 0.8,
    params: { step: 'token', right: 0.99, refresh: 1 },
    run: { optimizer: { learningRate: 5e-3 }, budget: { steps: 160, batch: 128 } },
  },
  recipe: (p, task) =>
    coTrain({
      buffers: { rollouts: rowsOf('policy', { fresh: true }) },
      roles: {
        policy: role({
          rows: pipe(
            task.prompts,
            part.ownStarts({ ...p, mark: p.reflect }),
            part.sampleGroups(p),
            part.score(task.reward),
            part.rememberAnswers({ threshold: p.right, until: p.refresh }),
            part.restartBonus({ ...p, threshold: p.right }),
            part.logpUnder('initial'),
            part.tokenRewards({ klWeight: 0 }),
            part.valuesOf('critic'),
            part.gae({ gamma: 1, lambda: 0.95 }),
            part.whiten({ on: true }),
          ),
          objective: sum(
            part.clippedSurrogate({ clipLow: 0.2, clipHigh: 0.2, average: 'token' }),
            weighted(p.entropyWeight, part.entropyBonus),
          ),
          epochs: p.epochs,
        }),
        critic: ppoCritic({ valueClip: 0.2, epochs: p.epochs }),
      },
      schedule: [{ turns: { policy: 1, critic: 1 } }],
    }),
});
