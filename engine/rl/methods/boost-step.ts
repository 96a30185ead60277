import * as z from 'zod';
import { defineMethod } from './define-method.ts';
import * as part from '../parts/index.ts';
import { searching } from '../kernel/recipe.ts';
import { pipe } from '../kernel/stage.ts';

/** Test-time search with an example for each step. Nothing is trained. */
export const boostStep = defineMethod({
  id: 'boost-step',
  title: 'Search: examples by the step',
  summary:
    'Tries each line of an answer, looks up the solved step that is most like the try, and writes the line again ' +
    'behind it. Accuracy over tokens spent.',
  cites: 'arXiv:2501.03226',
  task: 'prompts',
  produces: 'rows',
  params: z.strictObject({
    groupSize: z.int().min(1).max(256).default(4).describe('Answers of the largest search.'),
    bank: z
      .array(z.strictObject({ problem: z.string().max(10_000), step: z.string().min(1).max(10_000) }))
      .max(10_000)
      .default([])
      .describe('Solved steps with their problems, as they are to be shown; none: every try stays.'),
    least: z.number().min(0).max(1).default(0.5).describe('Least similarity of a step that is shown.'),
    n: z.int().min(1).max(10).default(2).describe('Characters of the runs by which steps are compared.'),
    rounds: z.int().min(1).max(100).default(16).describe('Most lines of an answer.'),
  }),
  suggested: { budget: { steps: 4, batch: 50 }, evaluation: { every: 0, problems: 0 } },
  search: () => ({ kind: 'guide', line: { id: 'boost', title: 'examples by the step' } }),
  texts: ({ bank }) => ['\n', ...bank.flatMap(({ problem, step }) => [problem, step])],
  recipe: (p, task) => searching('guide', pipe(task.heldout, part.boostedSteps(task.scores, p))),
});
