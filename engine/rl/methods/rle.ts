import { defineMethod } from './define-method.ts';
import * as part from '../parts/index.ts';
import { train } from '../kernel/recipe.ts';
import { controlPpoSanity, controlPpoSuggested } from './params/control-ppo.ts';
import { exploringSteps, rleParams } from './params/explore.ts';

/** Random latent exploration: PPO that is also rewarded for going along a random direction of features. */
export const rle = defineMethod({
  id: 'rle',
  title: 'Random latent exploration',
  summary: 'In each episode the network follows another random direction of features, beside the reward.',
  cites: 'arXiv:2407.13755',
  task: 'control',
  produces: 'policy',
  outputs: 'latent',
  params: rleParams,
  suggested: controlPpoSuggested,
  sanity: controlPpoSanity,
  recipe: (p, task) =>
    train({
      rows: exploringSteps(p, task, { bonus: part.latentBonus, across: false }),
      objective: part.exploringLoss(p),
      epochs: p.epochs,
      minibatches: p.minibatches,
      averaging: { decay: 1 - p.follow },
    }),
});
