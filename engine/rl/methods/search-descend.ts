import * as z from 'zod';
import { defineMethod } from './define-method.ts';
import * as part from '../parts/index.ts';
import { searching } from '../kernel/recipe.ts';
import { pipe } from '../kernel/stage.ts';

/** Test-time search by edits, level by level. Nothing is trained. */
export const searchDescend = defineMethod({
  id: 'search-descend',
  title: 'Search: from the general to the details',
  summary:
    'Edits an answer from its first line down: an edit stays if the rewards prefer the edited answer, and after ' +
    'enough rejections the search descends by a line. Accuracy over tokens spent.',
  cites: 'arXiv:2505.19209',
  task: 'prompts',
  produces: 'rows',
  params: z.strictObject({
    groupSize: z.int().min(1).max(256).default(16).describe('Edits in the largest search.'),
    levels: z
      .int()
      .min(1)
      .max(50)
      .default(4)
      .describe('Levels: the whole answer, then what follows its lines.'),
    patience: z.int().min(1).max(50).default(2).describe('Rejected edits in a row that settle a level.'),
  }),
  suggested: { budget: { steps: 4, batch: 50 }, evaluation: { every: 0, problems: 0 } },
  search: () => ({ kind: 'guide', line: { id: 'descend', title: 'descent' } }),
  texts: () => ['\n'],
  recipe: (p, task) => searching('guide', pipe(task.heldout, part.descended(task.scores, p))),
});
