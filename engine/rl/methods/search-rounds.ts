import { defineMethod } from './define-method.ts';
import * as part from '../parts/index.ts';
import { searching } from '../kernel/recipe.ts';
import { pipe } from '../kernel/stage.ts';
import { searchRoundsParams } from './params/search-rounds.ts';

/**
 * Test-time evolution: each round's prompts show answers of the round before (arXiv:2505.23604, section 3.1).
 */
export const searchRounds = defineMethod({
  id: 'search-rounds',
  title: 'Search: rounds of revision',
  summary:
    'Answers held-out problems in rounds whose prompts show earlier answers, all or the best of them: mean ' +
    'and best score by round and by tokens spent.',
  cites: 'arXiv:2505.23604',
  task: 'prompts',
  produces: 'rows',
  params: searchRoundsParams,
  main: ['groupSize', 'rounds', 'shows', 'selector', 'beside'],
  presets: { words: part.WORDED },
  suggested: { budget: { steps: 4, batch: 50 }, evaluation: { every: 0, problems: 0 } },
  search: ({ selector }) => ({ kind: 'rounds', selector }),
  texts: (p) => part.textsOf(p),
  recipe: (p, task) =>
    searching(
      'rounds',
      pipe(
        task.heldout,
        part.sampleAttempts(task.scores, {
          first: p.groupSize,
          rounds: p.rounds - 1,
          next: part.showBest({
            template: { ...p, ...part.WORDS },
            answers: p.groupSize,
            most: p.shows,
            by: p.selector === 'none' ? undefined : part.scoreBy[p.selector],
          }),
          reasons: p.attempt.includes('{reason}'),
          swapped: p.swapped,
          beside: p.beside ? p.groupSize * (p.rounds - 1) : 0,
        }),
      ),
    ),
});
