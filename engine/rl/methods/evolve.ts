import { defineMethod } from './define-method.ts';
import * as part from '../parts/index.ts';
import { train } from '../kernel/recipe.ts';
import { constantRate } from '../kernel/shared.ts';
import { pipe } from '../kernel/stage.ts';
import { evolveParams } from './params/evolve.ts';
import { sum, weighted } from '../kernel/objective.ts';

/**
 * Answering and refining in one model (EVOLVE): pairs of answers to the plain prompt, and pairs of
 * refinements of one answer that the prompt shows, under one preference loss with imitation of the preferred
 * (section 3).
 */
export const evolve = defineMethod({
  id: 'evolve',
  title: 'EVOLVE: preferences of refinements',
  summary:
    'Learns to answer and to refine an answer that it is shown, from pairs of its own answers of both kinds.',
  cites: 'arXiv:2502.05605',
  task: 'verifiable',
  produces: 'policy',
  params: evolveParams,
  presets: {
    words: {
      shown: '{prompt}\n\nAn answer:\n{attempts}\n\nRefine it:\n',
      attempt: '{attempt}',
    },
  },
  suggested: constantRate(5e-4, { steps: 80, batch: 32 }),
  texts: (p) => part.textsOf(p),
  sanity: {
    world: 'toy/copy',
    metric: 'attempts/later',
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
          next: part.showOne({ template: { ...p, ...part.WORDS }, answers: p.groupSize }),
          reasons: p.attempt.includes('{reason}'),
        }),
        part.bestAgainstWorst,
        part.asPairs,
        part.logpUnder('initial'),
      ),
      objective: sum(
        part.ratioMargin({ beta: p.beta, loss: part.logisticLoss() }),
        weighted(p.sftWeight, part.likelihoodOf({ side: 0, average: 'sequence' })),
      ),
    }),
});
