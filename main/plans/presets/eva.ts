import { copies } from './copies.ts';
import type { PlanPreset } from './preset.ts';
import { policyOf, smallPolicy } from './shared.ts';

const world = { id: 'toy/copy', params: { letters: 3, length: 3 } };
/** Evaluation is on strings that only evolved prompts are as long as. */
const longer = { id: 'toy/copy', params: { letters: 3, length: 4 } };
const sampling = { maxTokens: 8 };
const policy = { node: 'tune', round: 'previous', first: 'base' };

/** A letter more at the end. */
const templates = ['a', 'b', 'c'].map((letter) => ({ find: '^([abc]{1,6})>$', replace: `$1${letter}>` }));

/** Ye et al. 2024, arXiv:2411.00062: a creator evolves prompts, a solver learns on them. */
export const eva: PlanPreset = {
  id: 'eva',
  title: 'Evolving prompts (eva)',
  summary:
    'Rounds in which the policy answers a buffer of all prompts so far, informative ones are drawn and evolved by edit ' +
    'templates, and it learns on the buffer with GRPO. “static” learns on the first prompts with as many steps.',
  plan: {
    name: 'Evolving prompts',
    summary:
      'arXiv:2411.00062: prompts by how far the best answer is above the mean, evolved by a letter a round.',
    specs: {
      solver: {
        method: { id: 'grpo', params: { groupSize: 6 } },
        sampling,
        rewards: copies,
        budget: { steps: 12, batch: 16 },
        evaluation: { problems: 60, samples: 4, world: longer },
      },
      asks: {
        method: { id: 'sample', params: { groupSize: 6 } },
        sampling,
        rewards: copies,
        budget: { batch: 16 },
        evaluation: { problems: 0 },
      },
    },
    nodes: [
      {
        id: 'base',
        spec: {
          method: { id: 'sft' },
          ...smallPolicy(24, 2),
          task: { kind: 'world', ...world },
          sampling,
          budget: { steps: 150, batch: 16 },
          evaluation: { problems: 60, samples: 4 },
        },
      },
      {
        id: 'first',
        spec: {
          method: { id: 'sample', params: { groupSize: 1 } },
          ...policyOf('base'),
          task: { kind: 'world', ...world },
          sampling,
          rewards: [{ id: 'verifier' }],
          budget: { steps: 2, batch: 16 },
        },
      },
      { id: 'prompts', answers: 'first', operators: [{ id: 'first' }] },
      {
        id: 'evolve',
        rounds: 3,
        body: [
          {
            id: 'write',
            use: 'asks',
            // every prompt of the buffer once: their number grows
            passes: 1,
            spec: {
              ...policyOf(policy),
              task: {
                kind: 'dataset',
                datasetId: { node: 'created', round: 'previous', first: 'prompts' },
                heldout: 0,
              },
            },
          },
          {
            id: 'created',
            answers: 'write',
            operators: [
              { id: 'informative', params: { count: 16, keep: true } },
              { id: 'mutate', params: { templates, only: 'informative', keep: true } },
            ],
          },
          {
            id: 'tune',
            use: 'solver',
            spec: {
              ...policyOf(policy),
              task: { kind: 'dataset', datasetId: { node: 'created' }, heldout: 0.1 },
            },
          },
        ],
      },
      {
        id: 'static',
        use: 'solver',
        spec: {
          ...policyOf('base'),
          task: { kind: 'dataset', datasetId: { node: 'prompts' }, heldout: 0.1 },
          budget: { steps: 36 },
        },
      },
    ],
  },
};
