import * as z from 'zod';
import { defineMethod } from './define-method.ts';
import * as part from '../parts/index.ts';
import { searching } from '../kernel/recipe.ts';
import { pipe } from '../kernel/stage.ts';
import { searchFields } from './params/search.ts';

/**
 * Test-time search by repeated sampling: answers to held-out problems, and the accuracy of rules that pick
 * from n of them, on average over subsets of n. Nothing is trained.
 */
export const search = defineMethod({
  id: 'search',
  title: 'Search: sample and choose',
  summary:
    'Samples answers to held-out problems and measures rules that choose among them (votes, best-of-n by any ' +
    'reward, self-certainty, RPC): accuracy over tokens spent.',
  cites: 'arXiv:2203.11171',
  task: 'prompts',
  produces: 'rows',
  params: z.strictObject({
    groupSize: z.int().min(1).max(256).default(16).describe('Answers per problem: the largest n.'),
    ...searchFields,
  }),
  suggested: { budget: { steps: 4, batch: 50 }, evaluation: { every: 0, problems: 0 } },
  search: ({ answer, mark, rankPower }) => ({ kind: 'choose', reading: { answer, mark }, rankPower }),
  recipe: (p, task) =>
    searching(
      'choose',
      pipe(
        task.heldout,
        part.sampleGroups(p),
        part.score(task.scores),
        part.meanLogpUnder('initial'),
        part.confidence,
      ),
    ),
});
