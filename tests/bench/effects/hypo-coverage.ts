import type { Effect } from './effect.ts';
import { from, imitation, smallPolicy, unmeasured } from './shared.ts';

const task = { kind: 'world', id: 'toy/pairs', params: { letters: 4, length: 5 } } as const;
const sampling = { maxTokens: 8 };
const learned = (seed: number, method: object) => ({
  method,
  task,
  models: from('base'),
  optimizer: { learningRate: 3e-3 },
  budget: { steps: 60, batch: 8 },
  sampling,
  evaluation: { problems: 48, samples: 4, world: { id: 'toy/pairs', params: task.params } },
  seed: seed + 100,
});

/**
 * Pairs are random strings of five letters: of 1,024 answers, a run sees a few hundred, and the best ones
 * hardly ever.
 */
export const hypoCoverage: Effect = {
  id: 'hypo-coverage',
  cluster: null,
  system: 'hypo',
  title:
    'A divergence measured on fresh answers keeps the policy from answers that no pair covers (pairs of ' +
    'random strings, more letters "a" preferred)',
  cites: 'arXiv:2406.01462',
  method: 'hypo, lambda 0.1',
  baseline: 'dpo',
  measure:
    'mean share of letters "a" in the answers on held-out prompts; 0 for an answer that is no string of five letters',
  better: 'higher',
  plan: (seed) => ({
    nodes: [
      {
        id: 'base',
        spec: {
          ...imitation(60, 'constant'),
          models: smallPolicy(24),
          task,
          sampling,
          evaluation: unmeasured,
          seed,
        },
      },
      { id: 'method', spec: learned(seed, { id: 'hypo', params: { lambda: 0.1 } }) },
      { id: 'baseline', spec: learned(seed, { id: 'dpo' }) },
    ],
  }),
  number: async (runs) => (await runs.evaluation()).gold,
};
