import * as z from 'zod';
import { defineMethod } from './define-method.ts';
import * as part from '../parts/index.ts';
import { coTrain, critic, role, rowsOf } from '../kernel/recipe.ts';
import { constantRate, shared } from '../kernel/shared.ts';
import { pipe } from '../kernel/stage.ts';

/**
 * Offline: policy and value of stored answers are made consistent with each other, token by token, so that
 * credit reaches the decisive tokens.
 */
export const oreo = defineMethod({
  id: 'oreo',
  title: 'Offline Reasoning Optimization (OREO)',
  summary:
    'Learns from stored answers, right and wrong: a critic values every token, and the policy moves to ' +
    'where it agrees with it.',
  cites: 'arXiv:2412.16145',
  task: 'answers',
  produces: 'policy',
  params: z.strictObject({ beta: shared.beta.default(0.1) }),
  suggested: constantRate(3e-4, { steps: 300, batch: 64 }),
  optimum: (world, p) => world.fixedPoint({ divergence: 'policy-to-reference', weight: p.beta }),
  sanity: {
    world: 'toy/copy',
    worldParams: { letters: 8, wrong: 0.75 },
    metric: 'evaluation/gold',
    atLeast: 0.4,
    params: { beta: 0.02 },
    run: { optimizer: { learningRate: 5e-3 }, budget: { steps: 300, batch: 64 } },
  },
  recipe: (p, task) =>
    coTrain({
      buffers: { seen: rowsOf('policy', { fresh: true }) },
      roles: {
        policy: role({
          rows: pipe(
            task.answers,
            part.scoreOrLabel(task.reward),
            part.logpUnder('initial'),
            part.valuesOf('critic'),
          ),
          objective: part.softBellman(p),
        }),
        critic: critic({
          rows: pipe(
            part.rowsFrom('seen', ['tokens', 'mask', 'weight', 'reward/total', 'logp/initial']),
            part.logpUnder('policy'),
            part.softReturns(p),
          ),
          objective: part.valueRegression,
        }),
      },
      schedule: [{ turns: { policy: 1, critic: 1 } }],
    }),
});
