import { z } from 'zod';
import { defineMethod } from '../kernel/method.ts';
import * as part from '../parts/index.ts';
import { train } from '../kernel/recipe.ts';
import { pipe, when } from '../kernel/stage.ts';
import { sum, weighted } from '../kernel/objective.ts';

/** Critic-free policy gradient: each attempt is judged against the others on its prompt. */
export const grpo = defineMethod({
  id: 'grpo',
  title: 'Group Relative Policy Optimization',
  summary: 'Writes several answers to each prompt and makes the better ones of each group likelier.',
  cites: 'arXiv:2402.03300',
  task: 'verifiable',
  produces: 'policy',
  params: z.strictObject({
    size: z.int().min(2).max(256).default(8).describe('Attempts per prompt.'),
    clip: z.number().positive().max(1).default(0.2).describe('Trust region on the probability ratio.'),
    klWeight: z
      .number()
      .min(0)
      .max(100)
      .default(0.01)
      .describe('Weight of the divergence from the initial policy.'),
    sd: z
      .enum(['sample', 'population', 'none'])
      .default('sample')
      .describe("What a group's advantages are divided by."),
    average: z
      .enum(['sequence', 'token', 'constant'])
      .default('sequence')
      .describe('How the loss of the tokens becomes one number.'),
    dropFlat: z.boolean().default(false).describe('Leave out groups whose rewards are all equal.'),
    passes: z.int().min(1).max(16).default(1).describe('Updates on each batch of answers.'),
  }),
  presets: { 'dr-grpo': { sd: 'none', average: 'constant', klWeight: 0 } },
  suggested: {
    optimizer: { learningRate: 4e-4, schedule: 'linear', warmup: 5 },
    budget: { steps: 80, batch: 32 },
  },
  optimum: (world, { klWeight, sd, size }) =>
    world.fixedPoint({
      divergence: 'reference-to-policy',
      weight: klWeight,
      perDeviation: { none: undefined, population: 1, sample: Math.sqrt(size / (size - 1)) }[sd],
    }),
  sanity: {
    world: 'toy/copy',
    metric: 'reward/mean',
    atLeast: 0.8,
    run: { optimizer: { learningRate: 5e-3 }, budget: { steps: 80, batch: 16 } },
  },
  recipe: (p, task) =>
    train({
      rows: pipe(
        task.prompts,
        part.sampleGroups(p),
        part.score(task.reward),
        when(p.dropFlat, part.dropFlatGroups),
        part.centerByGroup(p),
        part.logpUnder('initial'),
      ),
      objective: sum(
        part.clippedSurrogate({ low: p.clip, high: p.clip, average: p.average }),
        weighted(p.klWeight, part.klToReference({ estimator: 'k3', average: p.average })),
      ),
      passes: p.passes,
    }),
});
