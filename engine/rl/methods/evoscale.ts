import { defineMethod } from './define-method.ts';
import * as part from '../parts/index.ts';
import { train } from '../kernel/recipe.ts';
import { constantRate } from '../kernel/shared.ts';
import { pipe } from '../kernel/stage.ts';
import { evoscaleParams } from './params/evoscale.ts';

/**
 * Reinforcement of improvement: a new answer is rewarded by its gain over one of the earlier ones that its
 * prompt shows, so that repeated conditioning improves answers without a scorer (section 3.3; `search-rounds`
 * repeats it).
 */
export const evoscale = defineMethod({
  id: 'evoscale',
  title: 'EvoScale: gain over shown attempts',
  summary:
    'Shows answers of the initial model in the prompt, and rewards a new answer by its gain over one of ' +
    'them: it learns to improve what it is shown.',
  cites: 'arXiv:2505.23604',
  task: 'verifiable',
  produces: 'policy',
  params: evoscaleParams,
  presets: {
    words: part.WORDED,
  },
  suggested: constantRate(4e-4, { steps: 100, batch: 32 }),
  texts: (p) => part.textsOf(p),
  sanity: {
    world: 'toy/copy',
    metric: 'attempts/later',
    atLeast: 0.7,
    params: { attempts: 1, groupSize: 8, shown: '{attempts}{prompt}' },
    run: { optimizer: { learningRate: 5e-3 }, budget: { steps: 100, batch: 16 } },
  },
  recipe: (p, task) =>
    train({
      rows: pipe(
        task.prompts,
        part.sampleInitialAttempts(task.reward, {
          first: p.attempts,
          rounds: 1,
          next: part.showAll({ template: { ...p, ...part.WORDS }, answers: p.groupSize }),
          reasons: p.attempt.includes('{reason}'),
        }),
        part.keepRounds({ from: 1 }),
        part.gainOverShown(p),
        part.creditGains(p),
      ),
      objective: part.clippedSurrogate({ clipLow: p.clip, clipHigh: p.clip, average: p.average }),
      epochs: p.epochs,
    }),
});
