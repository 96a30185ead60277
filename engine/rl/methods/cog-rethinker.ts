import { defineMethod } from './define-method.ts';
import * as part from '../parts/index.ts';
import { train } from '../kernel/recipe.ts';
import { constantRate } from '../kernel/shared.ts';
import { pipe } from '../kernel/stage.ts';
import { cogRethinkerParams } from './params/cog-rethinker.ts';
import { sum, weighted } from '../kernel/objective.ts';

/**
 * Two fallbacks for unsolved problems (Cog-Rethinker): a prompt that asks for parts, then one that shows the
 * wrong answers; right answers to either are imitated on the plain prompt, beside the policy gradient
 * (section 3).
 */
export const cogRethinker = defineMethod({
  id: 'cog-rethinker',
  title: 'Cog-Rethinker: fallbacks for unsolved problems',
  summary:
    'Where every answer is wrong, asks for parts first, then shows the wrong answers; right answers of ' +
    'these stages are imitated without their prompts.',
  cites: 'arXiv:2510.15979',
  task: 'verifiable',
  produces: 'policy',
  params: cogRethinkerParams,
  suggested: constantRate(4e-4, { steps: 80, batch: 32 }),
  texts: (p) => part.textsOf(p, { shown: p.parts }),
  sanity: {
    world: 'toy/copy',
    metric: 'evaluation/gold',
    atLeast: 0.8,
    params: { parts: ':{prompt}', groupSize: 6 },
    run: { optimizer: { learningRate: 5e-3 }, budget: { steps: 80, batch: 16 } },
  },
  recipe: (p, task) =>
    train({
      rows: pipe(
        task.prompts,
        part.sampleAttempts(task.reward, {
          first: p.groupSize,
          rounds: 2,
          next: part.rescue({
            stages: [
              { ...p, ...part.WORDS, shown: p.parts },
              { ...p, ...part.WORDS },
            ],
            answers: p.groupSize,
          }),
          reasons: p.attempt.includes('{reason}'),
        }),
        part.keepRightRevisions({ threshold: 1 }),
        part.plainPrompts,
        part.centerByGroup(p),
        part.imitateRevisions,
      ),
      objective: sum(
        part.clippedSurrogate({ clipLow: p.clip, clipHigh: p.clip, average: p.average }),
        weighted(p.imitate, part.imitation({ average: 'token' })),
      ),
    }),
});
