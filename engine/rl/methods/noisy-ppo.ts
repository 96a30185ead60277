import { defineMethod } from './define-method.ts';
import { controlPpoRecipe } from './control-ppo.ts';
import { controlPpoParams, controlPpoSanity, controlPpoSuggested } from './params/control-ppo.ts';

/** PPO whose actor has noise in its weights, drawn for each episode; how much is learned. */
export const noisyPpo = defineMethod({
  id: 'noisy-ppo',
  title: 'PPO with noise in its weights',
  summary: 'A layer of the network has noise, another in each episode, whose size it learns.',
  cites: 'arXiv:1706.10295',
  task: 'control',
  produces: 'policy',
  outputs: 'noisy',
  params: controlPpoParams,
  suggested: controlPpoSuggested,
  sanity: { ...controlPpoSanity, atLeast: 60 },
  recipe: controlPpoRecipe,
});
