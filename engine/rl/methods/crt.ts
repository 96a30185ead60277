import { defineMethod } from './define-method.ts';
import { sum, weighted } from '../kernel/objective.ts';
import * as part from '../parts/index.ts';
import { coTrain, role, rowsOf, teacher } from '../kernel/recipe.ts';
import { constantRate } from '../kernel/shared.ts';
import { pipe } from '../kernel/stage.ts';
import { crtParams } from './params/crt.ts';
import { ppoCritic } from './params/ppo-critic.ts';

/** PPO of an attacker whose reward is the harm of a frozen target's reply, and novelty among its attacks. */
export const crt = defineMethod({
  id: 'crt',
  title: 'Curiosity-driven red teaming',
  summary:
    'The policy writes attacks, a frozen target replies, the rewards measure the harm of its replies; attacks ' +
    'like earlier ones earn less.',
  cites: 'arXiv:2402.19464',
  task: 'verifiable',
  produces: 'policy',
  params: crtParams,
  suggested: constantRate(3e-4, { steps: 200, batch: 128 }),
  texts: (p) => [p.mark, p.ending],
  sanity: {
    world: 'toy/triggers',
    worldParams: { letters: 6, length: 3 },
    metric: 'evaluation/gold',
    atLeast: 0.7,
    params: { bleu: 0.1, cosine: 0.1, klWeight: 0, epochs: 1 },
    run: { optimizer: { learningRate: 1e-2 }, budget: { steps: 100, batch: 64 } },
  },
  recipe: (p, task) =>
    coTrain({
      buffers: { rollouts: rowsOf('policy', { fresh: true }) },
      roles: {
        policy: role({
          rows: pipe(
            task.prompts,
            part.sampleGroups({ groupSize: 1 }),
            part.replyTo({ by: 'target', sees: 'proposal', ...p }),
            part.scoreHarm(task.reward, p),
            part.novelTexts(p),
            part.logpUnder('initial'),
            part.tokenRewards(p),
            part.valuesOf('critic'),
            part.gae({ gamma: 1, lambda: p.lambda }),
            part.whiten({ on: true }),
          ),
          objective: sum(
            part.clippedSurrogate({ clipLow: p.clip, clipHigh: p.clip, average: 'token' }),
            weighted(p.entropyWeight, part.entropyBonus),
          ),
          epochs: p.epochs,
        }),
        critic: ppoCritic(p),
        target: teacher(),
      },
      schedule: [{ turns: { policy: 1, critic: 1 } }],
    }),
});
