import * as z from 'zod';
import { defineMethod } from './define-method.ts';
import * as part from '../parts/index.ts';
import { train } from '../kernel/recipe.ts';
import { constantRate, range, shared } from '../kernel/shared.ts';
import { pipe } from '../kernel/stage.ts';

const { templates, WORDS } = part;

/**
 * Trust in a context (CR-DPO): the prompt shows the model's own closed-book answer and a claim that is right
 * or wrong with equal chance, and the answer that chooses the right source is preferred (section 4). Pairs of
 * closed-book answers are learned from as well, so that the own answer becomes worth trusting.
 */
export const situatedFaithfulness = defineMethod({
  id: 'situated-faithfulness',
  title: 'Situated faithfulness: own answer or context',
  summary:
    'Shows its own answer beside a claim that may be wrong, and learns from pairs which of them to trust.',
  cites: 'arXiv:2410.14675',
  task: 'verifiable',
  produces: 'policy',
  params: z.strictObject({
    groupSize: range.answers
      .default(4)
      .describe('Answers without a claim, and answers to one prompt with a claim.'),
    beta: shared.beta.default(0.1),
    shown: templates.shown
      .default('{prompt}{attempts}')
      .describe('The prompt with both: {prompt}, {attempts} (the own answer, then the claim).'),
    attempt: templates.attempt.default('{attempt};'),
  }),
  suggested: constantRate(5e-4, { steps: 80, batch: 32 }),
  texts: (p) => part.textsOf(p),
  sanity: {
    world: 'toy/copy',
    metric: 'attempts/later',
    atLeast: 0.7,
    run: { optimizer: { learningRate: 5e-3 }, budget: { steps: 100, batch: 16 } },
  },
  recipe: (p, task) =>
    train({
      rows: pipe(
        task.prompts,
        part.sampleAttempts(task.reward, {
          first: p.groupSize,
          rounds: 1,
          next: part.showClaim({ template: { ...p, ...WORDS }, answers: p.groupSize }),
        }),
        part.bestAgainstWorst,
        part.asPairs,
        part.logpUnder('initial'),
      ),
      objective: part.ratioMargin({ beta: p.beta, loss: part.logisticLoss() }),
    }),
});
