import { z } from 'zod';
import { defineMethod } from '../kernel/method.ts';
import * as part from '../parts/index.ts';
import { coTrain, role, rowsOf } from '../kernel/recipe.ts';
import { pipe } from '../kernel/stage.ts';

/**
 * By steps, each model on its own: a critic learns how often the initial policy gets right from where it
 * stands, then the policy is fitted to what each step gained.
 */
export const directAdvantage = defineMethod({
  id: 'direct-advantage',
  title: 'Direct Advantage Policy Optimization',
  summary:
    'A critic first learns where answers go wrong, step by step; then each step becomes likelier by as ' +
    'much as it raised the odds.',
  cites: 'arXiv:2412.18279',
  task: 'verifiable',
  produces: 'policy',
  params: z.strictObject({
    size: z.int().min(2).max(256).default(8).describe('Attempts per prompt.'),
    step: z
      .enum(['token', 'line', 'turn'])
      .default('line')
      .describe('What a step is: a token, a line, or a turn between replies of the world.'),
    beta: z
      .number()
      .positive()
      .max(100)
      .default(0.1)
      .describe('How closely to stay to the policy that wrote the answers.'),
    writer: z
      .enum(['initial', 'policy'])
      .default('initial')
      .describe(
        'Who writes the answers, and is what the policy stays close to: the initial policy, or the policy ' +
          'as it is at each batch.',
      ),
    lambda: z
      .number()
      .min(0)
      .max(1)
      .default(0)
      .describe('Between the critic’s word on what follows a step (0) and what came out in the end (1).'),
    warmUp: z
      .int()
      .min(1)
      .max(10000)
      .default(60)
      .describe(
        'Batches that the critic learns from before the policy begins; its updates are steps of the run.',
      ),
    criticPasses: z
      .int()
      .min(1)
      .max(64)
      .default(4)
      .describe('Updates of the critic on each batch of answers.'),
    passes: z.int().min(1).max(64).default(2).describe('Updates of the policy on each batch of answers.'),
  }),
  suggested: {
    optimizer: { learningRate: 1e-3, schedule: 'constant', warmup: 5 },
    budget: { steps: 400, batch: 32 },
  },
  optimum: (world, p) =>
    world.fixedPoint({
      divergence: 'squared-log-ratio',
      weight: p.writer === 'policy' ? 0 : p.beta,
      earns: 'rightness',
    }),
  sanity: {
    world: 'toy/copy',
    metric: 'evaluation/gold',
    atLeast: 0.8,
    params: { step: 'token', writer: 'policy', lambda: 0.8, beta: 0.3, warmUp: 4, criticPasses: 2 },
    run: { optimizer: { learningRate: 5e-3 }, budget: { steps: 240, batch: 16 } },
  },
  recipe: (p, task) =>
    coTrain({
      buffers: { written: rowsOf('policy', { fresh: true }) },
      roles: {
        policy: role({
          rows: pipe(
            task.prompts,
            p.writer === 'policy' ? part.sampleGroups(p) : part.sampleInitialGroups(p),
            part.score(task.reward),
            part.stepEnds(p),
            part.valuesOf('critic'),
            part.stepAdvantages(p),
          ),
          objective: part.advantageRegression(p),
          passes: p.passes,
        }),
        critic: role({
          rows: pipe(part.rowsFrom('written', ['tokens', 'mask', 'weight', 'stepEnd', 'reward/total'])),
          objective: part.prefixValue,
          head: { kind: 'reward' },
          passes: p.criticPasses,
        }),
      },
      schedule: [
        { rounds: p.warmUp, turns: { policy: 0, critic: 1 } },
        { turns: p.writer === 'policy' ? { policy: 1, critic: 1 } : { policy: 1 } },
      ],
    }),
});
