import * as z from 'zod';
import { defineMethod } from './define-method.ts';
import * as part from '../parts/index.ts';
import { coTrain, critic, role, sampledBy } from '../kernel/recipe.ts';
import { constantRate, range, shared } from '../kernel/shared.ts';
import { pipe } from '../kernel/stage.ts';
import { treeColumns, treeFields } from './params/trees.ts';

/** Tree search under a process value; the policy imitates what it verified, the value learns from the tree. */
export const restMcts = defineMethod({
  id: 'rest-mcts',
  title: 'Self-training by process-value guided tree search (ReST-MCTS*)',
  summary:
    'Searches trees under a value of steps, imitates the right answers found, and teaches the value how near ' +
    'each state was to one.',
  cites: 'arXiv:2406.03816',
  task: 'verifiable',
  produces: 'policy',
  params: z.strictObject({
    ...treeFields,
    threshold: z.number().default(0.5).describe('Reward above which an answer is right.'),
    maxPerPrompt: range.answers.default(8).describe('Different right answers of a prompt that are imitated.'),
    average: shared.counts.default('sequence'),
    valueEpochs: z.int().min(1).max(16).default(2).describe('Updates of the value on each batch of trees.'),
  }),
  suggested: constantRate(5e-4, { steps: 160, batch: 16 }),
  sanity: {
    world: 'toy/copy',
    metric: 'evaluation/gold',
    atLeast: 0.7,
    params: { groupSize: 16, width: 4, step: 'token', threshold: 0.9, valueEpochs: 1 },
    run: { optimizer: { learningRate: 5e-3 }, budget: { steps: 120, batch: 12 } },
  },
  recipe: (p, task) =>
    coTrain({
      buffers: { searched: sampledBy('policy', treeColumns) },
      roles: {
        policy: role({
          rows: pipe(
            task.prompts,
            part.searchTrees(task.reward, { ...p, select: 'critic' }),
            part.processTargets(p),
            part.wholeTraces({ ...p, most: p.maxPerPrompt }),
          ),
          objective: part.likelihood(p),
        }),
        critic: critic({
          rows: pipe(part.rowsFrom('searched', treeColumns)),
          objective: part.valueRegression,
          epochs: p.valueEpochs,
        }),
      },
      schedule: [{ turns: { policy: 1, critic: 1 } }],
    }),
});
