import * as z from 'zod';
import { defineMethod } from './define-method.ts';
import * as part from '../parts/index.ts';
import { searching } from '../kernel/recipe.ts';
import { range } from '../kernel/shared.ts';
import { pipe } from '../kernel/stage.ts';

/** Test-time search over worked lines, guided by the run's rewards: a process verifier's, say. */
export const searchBeam = defineMethod({
  id: 'search-beam',
  title: 'Search: beams of lines',
  summary:
    'Grows answers line by line and keeps those that the rewards (a process verifier) value most, in searches ' +
    'of rising size: accuracy over tokens spent.',
  cites: 'arXiv:2408.03314',
  task: 'prompts',
  produces: 'rows',
  params: z.strictObject({
    groupSize: z
      .int()
      .min(1)
      .max(256)
      .default(16)
      .describe('Candidates of a round in the largest search; of a tree, its expansions.'),
    expand: z
      .int()
      .min(2)
      .max(16)
      .default(4)
      .describe('Candidates that continue each kept one: a search of n candidates keeps n ∕ expand.'),
    strategy: z
      .enum(['beam', 'tree'])
      .default('beam')
      .describe('Beams keep the best of each round; a tree expands one candidate at a time, by its bound.'),
    explore: range.weight
      .default(0.3)
      .describe('Of a tree: weight of what is little tried, against what is worth much.'),
    rounds: z.int().min(1).max(100).default(16).describe('Most lines of an answer.'),
  }),
  presets: { 'tree-search': { strategy: 'tree', groupSize: 64 } },
  suggested: { budget: { steps: 4, batch: 50 }, evaluation: { every: 0, problems: 0 } },
  search: ({ strategy }) => ({
    kind: 'guide',
    ...(strategy === 'tree' && { line: { id: 'tree', title: 'tree search' } }),
  }),
  texts: () => ['\n'],
  recipe: (p, task) =>
    searching(
      'guide',
      pipe(
        task.heldout,
        p.strategy === 'tree' ? part.guidedTrees(task.scores, p) : part.beams(task.scores, p),
      ),
    ),
});
