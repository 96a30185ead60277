import { z } from 'zod';
import { defineMethod } from '../kernel/method.ts';
import * as part from '../parts/index.ts';
import { train } from '../kernel/recipe.ts';
import { pipe } from '../kernel/stage.ts';

/**
 * Pairs from the policy that DPO would end at: answers of the initial policy, thinned out by reward until
 * they are distributed like its optimum.
 */
export const rso = defineMethod({
  id: 'rso',
  title: 'Statistical Rejection Sampling Optimization',
  summary:
    'Samples the initial policy, keeps answers by rejection sampling on their rewards, ranks them in ' +
    'pairs and learns from those.',
  cites: 'arXiv:2309.06657',
  task: 'verifiable',
  produces: 'policy',
  params: z
    .strictObject({
      candidates: z.int().min(2).max(256).default(16).describe('Answers of the initial policy per prompt.'),
      kept: z.int().min(2).max(256).default(8).describe('How many of them pass the rejection sampling.'),
      temperature: z
        .number()
        .positive()
        .max(100)
        .default(0.5)
        .describe('Of the rejection sampling, in units of reward: small keeps the best, large keeps any.'),
      ranking: z
        .enum(['first-round', 'tournament'])
        .default('first-round')
        .describe('Pairs of neighbours, or also of the winners of each round.'),
      loss: z
        .enum(['logistic', 'hinge'])
        .default('logistic')
        .describe('What a margin costs: as in DPO, or a hinge on the same log-ratios.'),
      beta: z
        .number()
        .positive()
        .max(100)
        .default(0.1)
        .describe('How closely to stay to the initial policy.'),
    })
    .refine(({ candidates, kept }) => kept <= candidates, {
      message: 'must be at most the number of candidates',
      path: ['kept'],
    }),
  suggested: {
    optimizer: { learningRate: 1e-4, schedule: 'constant', warmup: 5 },
    budget: { steps: 150, batch: 32 },
  },
  sanity: {
    world: 'toy/copy',
    metric: 'evaluation/gold',
    atLeast: 0.3,
    params: { beta: 1, temperature: 0.3 },
    run: { optimizer: { learningRate: 5e-3 }, budget: { steps: 60, batch: 24 } },
  },
  optimum: (world, p) =>
    p.loss === 'logistic' ? world.fixedPoint({ divergence: 'policy-to-reference', weight: 0 }) : undefined,
  recipe: (p, task) =>
    train({
      rows: pipe(
        task.prompts,
        part.sampleInitialGroups({ size: p.candidates }),
        part.score(task.reward),
        part.rejectionSample({ count: p.kept, beta: p.temperature }),
        part.rankedPairs(p),
        part.asPairs,
        part.logpUnder('initial'),
      ),
      objective: part.ratioMargin({
        beta: p.beta,
        loss: p.loss === 'logistic' ? part.logisticLoss() : part.hingeLoss(),
      }),
    }),
});
