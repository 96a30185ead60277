import type { PlanPreset } from './preset.ts';
import { policyOf, smallPolicy } from './shared.ts';

/** Sums with several right answers each, half of whose demonstrations are right. */
const task = { kind: 'world', id: 'toy/sums', params: { digits: 2 } };
const sampling = { maxTokens: 4 };
const GROUP = 8;

const base = {
  id: 'base',
  spec: {
    method: { id: 'sft' },
    ...smallPolicy(16),
    task,
    sampling,
    optimizer: { learningRate: 1e-2, beta2: 0.95, schedule: 'linear' },
    budget: { steps: 400, batch: 64 },
    evaluation: { problems: 0 },
    seed: 1,
  },
};

const shared = { groupSize: GROUP, klWeight: 0, scaleBy: 'none' };
const explorer = (id: string, method: object, rest: object = {}) => ({
  id,
  spec: {
    method,
    ...policyOf('base'),
    task,
    rewards: [{ id: 'verifier' }],
    sampling,
    optimizer: { learningRate: 1e-3, schedule: 'constant' },
    budget: { steps: 150, batch: 16 },
    evaluation: { problems: 60, samples: GROUP, every: 50 },
    seed: 101,
    ...rest,
  },
});

/** RLE (arXiv:2407.13755) as a soft prompt, against GRPO and one whose entropy is held; about two minutes. */
export const exploreLanguage: PlanPreset = {
  id: 'explore-language',
  title: 'Explore in language: random directions (RLE)',
  summary:
    'Sums with several right answers: a policy that reads a random direction with each answer, GRPO, and GRPO with ' +
    'its entropy held. Results show the different answers, and which directions lead to them.',
  plan: {
    name: 'Explore in language',
    summary: 'Which right answers a policy keeps: random directions, GRPO, entropy held.',
    nodes: [
      base,
      explorer('random-directions', { id: 'rle-language', params: { ...shared, bonusWeight: 0.5 } }),
      explorer('grpo', { id: 'grpo', params: shared }),
      explorer(
        'entropy-held',
        { id: 'grpo', params: shared },
        { controllers: [{ id: 'aepo', params: { target: 0.8 } }] },
      ),
    ],
  },
};
