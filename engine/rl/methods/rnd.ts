import { defineMethod } from './define-method.ts';
import * as part from '../parts/index.ts';
import { train } from '../kernel/recipe.ts';
import { sum } from '../kernel/objective.ts';
import { controlPpoSanity, controlPpoSuggested } from './params/control-ppo.ts';
import { exploringSteps, rndParams } from './params/explore.ts';

/** Random network distillation: PPO that is also rewarded where it predicts a random network badly. */
export const rnd = defineMethod({
  id: 'rnd',
  title: 'Random network distillation',
  summary: 'States whose random features the network cannot predict yet are rewarded, beside the reward.',
  cites: 'arXiv:1810.12894',
  task: 'control',
  produces: 'policy',
  outputs: 'novelty',
  params: rndParams,
  suggested: controlPpoSuggested,
  sanity: controlPpoSanity,
  recipe: (p, task) =>
    train({
      rows: exploringSteps(p, task, { bonus: part.predictionBonus, across: true }),
      objective: sum(part.exploringLoss(p), part.predictorError),
      epochs: p.epochs,
      minibatches: p.minibatches,
    }),
});
