import * as z from 'zod';
import { defineMethod } from './define-method.ts';
import * as part from '../parts/index.ts';
import { searching } from '../kernel/recipe.ts';
import { pipe } from '../kernel/stage.ts';

const word = (text: string, what: string) =>
  z.string().min(1).max(200).default(text).describe(`Text behind ${what}.`);

/** Test-time search by revising, recombining and refining own answers. Nothing is trained. */
export const searchEvolve = defineMethod({
  id: 'search-evolve',
  title: 'Search: evolve answers',
  summary:
    'Evolves a pool of answers: the model revises, recombines and refines them, shown what it wrote, and the ' +
    'best by the rewards stay, in searches of rising size: accuracy over tokens spent.',
  cites: 'arXiv:2508.02085',
  task: 'prompts',
  produces: 'rows',
  params: z.strictObject({
    groupSize: z.int().min(1).max(256).default(8).describe('Answers of the pool in the largest search.'),
    generations: z.int().min(1).max(20).default(2).describe('Generations after the first answers.'),
    revise: word('\nRevise:\n', 'an answer that is to be written anew another way'),
    recombine: word('\nCombine:\n', 'each of two answers whose good parts are to be joined'),
    refine: word('\nShorten:\n', 'the best answer, which is to lose what is redundant'),
  }),
  suggested: { budget: { steps: 4, batch: 50 }, evaluation: { every: 0, problems: 0 } },
  search: () => ({ kind: 'guide', line: { id: 'evolve', title: 'evolution' } }),
  texts: ({ revise, recombine, refine }) => [revise, recombine, refine],
  recipe: (p, task) => searching('guide', pipe(task.heldout, part.evolved(task.scores, { ...p, words: p }))),
});
