import * as z from 'zod';
import { defineMethod } from './define-method.ts';
import * as part from '../parts/index.ts';
import { collect } from '../kernel/recipe.ts';
import { pipe } from '../kernel/stage.ts';

/**
 * Rows only: answers to prompts, kept with their log-probabilities, to be paired and labeled. Nothing is
 * trained.
 */
export const sample = defineMethod({
  id: 'sample',
  title: 'Sample answers',
  summary: 'Samples answers from a policy and keeps them: to label, to compare, to reuse.',
  cites: 'arXiv:2203.02155',
  task: 'prompts',
  produces: 'rows',
  params: z.strictObject({ groupSize: z.int().min(1).max(256).default(4).describe('Answers per prompt.') }),
  suggested: { budget: { steps: 10, batch: 50 }, evaluation: { problems: 0 } },
  recipe: (p, task) => collect(pipe(task.prompts, part.sampleGroups(p), part.score(task.scores))),
});
