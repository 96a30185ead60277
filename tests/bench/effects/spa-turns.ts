import type { Effect } from './effect.ts';
import { from, smallPolicy, unmeasured } from './shared.ts';

const task = { kind: 'world', id: 'toy/turns', params: { letters: 6 } } as const;
const sampling = { maxTokens: 8 };
/** Batches of answers on each side; spa-rl spends its first ones on the estimator (the default). */
const ROUNDS = 25;
const WARMUP = 5;

const learned = (seed: number, id: string, steps: number) => ({
  method: { id, params: { epochs: 2 } },
  task,
  models: from('base'),
  rewards: [{ id: 'verifier' }],
  optimizer: { learningRate: 3e-3, schedule: 'constant', warmup: 0 },
  budget: { steps, batch: 64 },
  sampling,
  evaluation: { problems: 48, samples: 4, world: { id: task.id, params: task.params } },
  seed: seed + 100,
});

/**
 * From a policy that has begun to take turns. Both sides sample as many answers; the estimator's warm-up is part of
 * them, and costs the policy a fifth of its updates.
 */
export const spaTurns: Effect = {
  id: 'spa-turns',
  cluster: 7,
  system: 'spa-rl',
  title:
    'A reward split among the turns of an episode is learned from faster than one at its end (a letter is ' +
    'told after the first turn, and repeated in the second)',
  cites: 'arXiv:2505.20732',
  method: 'spa-rl',
  baseline: 'ppo',
  measure: 'mean reward of answers to held-out prompts',
  better: 'higher',
  quickSteps: 24,
  note:
    'It does not show, nor with other shares of warm-up and of the split reward on two seeds that are not reported ' +
    '(.13 to .32 against .39 and .52). Sampled answers are as many on both sides; the estimator takes a fifth of them, ' +
    'so the policy has 40 updates against 50.',
  plan: (seed) => ({
    nodes: [
      {
        id: 'base',
        spec: {
          method: { id: 'sft' },
          optimizer: { learningRate: 1e-2, beta2: 0.95, schedule: 'linear' },
          budget: { steps: 25, batch: 32 },
          models: smallPolicy(24),
          task,
          sampling,
          evaluation: unmeasured,
          seed,
        },
      },
      {
        id: 'method',
        spec: learned(seed, 'spa-rl', WARMUP * 4 + (ROUNDS - WARMUP) * 8),
      },
      { id: 'baseline', spec: learned(seed, 'ppo', ROUNDS * 4) },
    ],
  }),
  number: async (runs) => (await runs.evaluation()).gold,
};
