import { mean, type Effect } from './effect.ts';
import { from, imitation, smallPolicy, unmeasured } from './shared.ts';

const task = { kind: 'world', id: 'toy/pairs', params: { letters: 4, length: 5 } } as const;
const sampling = { maxTokens: 8 };

/** The weight is not tuned: 2 halves the penalty of the divergence, as the paper's identity says. */
const guidance = { kind: 'checkpoint', checkpointId: { node: 'base' }, how: 'mix', weight: 2 } as const;

export const rlgWeight: Effect = {
  id: 'rlg-weight',
  cluster: 6,
  system: 'rlg',
  title:
    'A trained policy that is guided beyond itself, away from its start, earns more than by itself, without ' +
    'further training (strings with many letters "a")',
  cites: 'arXiv:2508.21016',
  method: 'grpo, sampled as π² ⁄ π_start',
  baseline: 'grpo, sampled by itself',
  measure: 'mean reward of 800 answers at temperature 1',
  better: 'higher',
  plan: (seed) => {
    const sampled = (more: object) => ({
      method: { id: 'sample', params: { groupSize: 8 } },
      task,
      models: from('tuned'),
      rewards: [{ id: 'verifier' }],
      budget: { steps: 1, batch: 100 },
      sampling: { ...sampling, ...more },
      seed: seed + 200,
    });
    return {
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
        {
          id: 'tuned',
          spec: {
            method: { id: 'grpo', params: { groupSize: 8, klWeight: 0.1 } },
            task,
            models: from('base'),
            optimizer: { learningRate: 1e-3 },
            budget: { steps: 20, batch: 16 },
            sampling,
            evaluation: unmeasured,
            seed: seed + 100,
          },
        },
        { id: 'method', spec: sampled({ guidance }) },
        { id: 'baseline', spec: sampled({}) },
      ],
    };
  },
  number: async (runs) => mean((await runs.answers('sample')).map(({ scores }) => scores.verifier)),
};
