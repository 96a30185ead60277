import { defineMethod } from './define-method.ts';
import * as part from '../parts/index.ts';
import { train } from '../kernel/recipe.ts';
import { constantRate } from '../kernel/shared.ts';
import { pipe } from '../kernel/stage.ts';
import { expoParams } from './params/expo.ts';
import { sum, weighted } from '../kernel/objective.ts';

/**
 * Self-explanation (ExPO): the model sees the right answer and writes an explanation that leads to it, which
 * is in its own words and better than what it would write without; it imitates that beside a group comparison
 * (section 4).
 */
export const expo = defineMethod({
  id: 'expo',
  title: 'ExPO: self-explanation of the answer',
  summary:
    'Shows the right answer, and imitates what the model writes then as an answer to the plain prompt, ' +
    'beside a policy gradient: it learns where all its own answers are wrong.',
  cites: 'arXiv:2507.02834',
  task: 'verifiable',
  produces: 'policy',
  params: expoParams,
  presets: {
    words: { shown: '{prompt}\nThe right answer is {answer}. Explain how to find it:\n' },
  },
  suggested: constantRate(4e-4, { steps: 80, batch: 32 }),
  texts: (p) => part.textsOf(p),
  sanity: {
    world: 'toy/copy',
    metric: 'evaluation/gold',
    atLeast: 0.8,
    run: { optimizer: { learningRate: 5e-3 }, budget: { steps: 80, batch: 16 } },
  },
  recipe: (p, task) =>
    train({
      rows: pipe(
        task.prompts,
        part.sampleAttempts(task.reward, {
          first: p.groupSize,
          rounds: 1,
          next: part.showAnswer({
            template: { shown: p.shown, attempt: '', ...part.WORDS },
            answers: p.explanations,
          }),
        }),
        part.keepRightRevisions(p),
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
