import type { PlanPreset } from './preset.ts';
import { policyOf, smallPolicy } from './shared.ts';
import { copies } from './copies.ts';

const world = { id: 'toy/copy', params: { letters: 4, length: 2 } };
const policy = { node: 'tune', round: 'previous', first: 'base' };

/** Chen et al. 2025, arXiv:2507.16518, for text alone. */
export const composing: PlanPreset = {
  id: 'c2-evo',
  title: 'Co-evolving problems and model (C2-Evo)',
  summary:
    'Rounds in which problems of the current band of error rates are composed into harder ones, and the policy learns ' +
    'first from its right answers (SFT), then on the problems (GRPO). “fixed” keeps the first problems.',
  plan: {
    name: 'Co-evolving problems and model',
    summary: 'arXiv:2507.16518: composed problems, a band of error rates, SFT and GRPO in turn.',
    specs: {
      grpo: {
        method: { id: 'grpo', params: { groupSize: 6 } },
        sampling: { maxTokens: 8 },
        rewards: copies,
        budget: { steps: 12, batch: 16 },
        evaluation: {
          problems: 60,
          samples: 4,
          world: { ...world, params: { ...world.params, length: 4 } },
        },
      },
      asks: {
        method: { id: 'sample', params: { groupSize: 6 } },
        sampling: { maxTokens: 8 },
        rewards: copies,
        budget: { steps: 3, batch: 16 },
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
          sampling: { maxTokens: 8 },
          budget: { steps: 120, batch: 16 },
          evaluation: { problems: 60, samples: 4 },
        },
      },
      {
        id: 'first',
        use: 'asks',
        spec: { ...policyOf('base'), task: { kind: 'world', ...world }, rewards: [{ id: 'verifier' }] },
      },
      { id: 'prompts', answers: 'first', operators: [{ id: 'first' }] },
      {
        id: 'evolve',
        rounds: 2,
        body: [
          {
            id: 'write',
            use: 'asks',
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
              { id: 'band', params: { column: 'reward', least: 0.1, most: 0.99 } },
              { id: 'compose', params: { find: '^([abcd]{1,3})>$', join: '$1$2>', keep: true } },
            ],
          },
          {
            id: 'imitate',
            spec: {
              method: { id: 'sft' },
              ...policyOf(policy),
              task: {
                kind: 'run',
                answers: 'write',
                operators: [{ id: 'relabel', params: { least: 0.5 } }, { id: 'correct' }],
                heldout: 0.1,
              },
              sampling: { maxTokens: 8 },
              budget: { steps: 10, batch: 16 },
            },
          },
          {
            id: 'tune',
            use: 'grpo',
            spec: {
              ...policyOf('imitate'),
              task: { kind: 'dataset', datasetId: { node: 'created' }, heldout: 0.1 },
            },
          },
        ],
      },
      {
        id: 'fixed',
        use: 'grpo',
        spec: {
          ...policyOf('base'),
          task: { kind: 'dataset', datasetId: { node: 'prompts' }, heldout: 0.1 },
          budget: { steps: 44 },
        },
      },
    ],
  },
};
