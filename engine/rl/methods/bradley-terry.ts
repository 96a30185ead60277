import * as z from 'zod';
import { defineMethod } from './define-method.ts';
import * as part from '../parts/index.ts';
import { train } from '../kernel/recipe.ts';
import { linearRate } from '../kernel/shared.ts';
import { pipe, when } from '../kernel/stage.ts';

/** With fewer training pairs than this, a trained trunk memorizes the labels. */
const FEW_PAIRS = 500;

/** A reward model from comparisons: the score's difference is the log-odds of being preferred. */
export const bradleyTerry = defineMethod({
  id: 'bradley-terry',
  title: 'Bradley–Terry reward model',
  summary: 'Learns a score from preferences, to be inspected and then used as a reward.',
  cites: 'arXiv:2203.02155',
  task: 'preferences',
  produces: 'reward',
  params: z.strictObject({
    trunk: z
      .enum(['auto', 'frozen', 'trained'])
      .default('auto')
      .describe(
        'frozen: only a linear head, solved on the model’s features; trained: the whole model; auto: ' +
          'frozen below 500 training pairs.',
      ),
    ties: z
      .enum(['half', 'drop'])
      .default('half')
      .describe(
        'Pairs judged equal: half a preference for each side (pulls the scores together), or left out.',
      ),
    folds: z
      .int()
      .min(2)
      .max(20)
      .default(5)
      .describe('Frozen: parts of the cross-validation that chooses the penalty; prompts are never split.'),
  }),
  suggested: linearRate(1e-3, { steps: 100, batch: 64 }),
  sanity: {
    world: 'toy/pairs',
    metric: 'loss',
    atMost: 0.3,
    params: { trunk: 'trained' },
    run: { optimizer: { learningRate: 3e-3 }, budget: { steps: 60, batch: 32 } },
  },
  recipe: (p, task) =>
    p.trunk === 'frozen' || (p.trunk === 'auto' && task.count < FEW_PAIRS)
      ? train({
          rows: pipe(task.allPairs, when(p.ties === 'drop', part.dropTies)),
          objective: part.pairwiseRegression(p),
          rounds: 1,
        })
      : train({
          rows: pipe(task.pairs, when(p.ties === 'drop', part.dropTies)),
          objective: part.bradleyTerry,
        }),
});
