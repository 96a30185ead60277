import type { PlanPreset } from './preset.ts';

const world = {
  models: { policy: { kind: 'network' } },
  task: { kind: 'control', id: 'control/large-rooms' },
  optimizer: { learningRate: 1e-3 },
  budget: { steps: 128, batch: 4096 },
  evaluation: { problems: 64, every: 64 },
  seed: 1,
};
/** Eight updates from each of 16 batches. */
const shared = { copies: 32, epochs: 2 };

/** Explores rooms in which nothing that the world rewards counts. */
const explorer = (id: string, method: string, params: object) => ({
  id,
  spec: { ...world, method: { id: method, params: { ...shared, ...params } } },
});

/** Mahankali et al. 2024, arXiv:2407.13755, section 5.1, in about a minute. */
export const explore: PlanPreset = {
  id: 'explore',
  title: 'Explore: random latent goals (RLE)',
  summary:
    'Four large rooms without reward: a random direction for each episode, random network distillation, noise in ' +
    'the weights, and the entropy bonus alone explore for as many steps.',
  sample: {
    title: 'Explore',
    about:
      'Four ways to explore large rooms without reward. Open “random-latents” and its Results: the map of visits, ' +
      'paths, and what latents change. About a minute.',
  },
  plan: {
    name: 'Explore',
    summary: 'arXiv:2407.13755 in four rooms without reward, against other ways to explore.',
    nodes: [
      explorer('random-latents', 'rle', { earnedWeight: 0 }),
      explorer('entropy-alone', 'rle', { earnedWeight: 0, bonusWeight: 0 }),
      explorer('distillation', 'rnd', { earnedWeight: 0 }),
      // the goal, its only reward, is out of its reach
      explorer('noisy-weights', 'noisy-ppo', {}),
    ],
  },
};
