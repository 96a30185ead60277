import * as z from 'zod';
import { defineMethod } from './define-method.ts';
import * as part from '../parts/index.ts';
import { searching } from '../kernel/recipe.ts';
import { pipe } from '../kernel/stage.ts';
import { searchFields } from './params/search.ts';

const verdict = z.string().min(1).max(20);

/** Test-time search in which the sampled model judges its own answers. Nothing is trained. */
export const selfPrm = defineMethod({
  id: 'self-prm',
  title: 'Search: judge your own answers',
  summary:
    'Samples answers to held-out problems, asks the same model for a verdict on each of their lines, and ' +
    'measures the rules of a search, among them reranking by that verdict with ties by vote (Self-PRM).',
  cites: 'arXiv:2505.11227',
  task: 'prompts',
  produces: 'rows',
  params: z.strictObject({
    groupSize: z.int().min(1).max(256).default(16).describe('Answers per problem: the largest n.'),
    ...searchFields,
    judges: z
      .enum(['steps', 'answer'])
      .default('steps')
      .describe('What gets a verdict: every line, or the whole answer.'),
    question: z.string().max(200).default('').describe('Text between what is judged and the verdict.'),
    right: verdict.default('Yes').describe('The verdict for a right line or answer.'),
    wrong: verdict.default('No').describe('The verdict for a wrong one.'),
  }),
  suggested: { budget: { steps: 4, batch: 50 }, evaluation: { every: 0, problems: 0 } },
  search: ({ answer, mark, rankPower }) => ({ kind: 'choose', reading: { answer, mark }, rankPower }),
  texts: ({ question, right, wrong }) => [`${question}${right}`, `${question}${wrong}`],
  recipe: (p, task) =>
    searching(
      'choose',
      pipe(
        task.heldout,
        part.sampleGroups(p),
        part.score(task.scores),
        part.selfVerdict(p),
        part.meanLogpUnder('initial'),
        part.confidence,
      ),
    ),
});
