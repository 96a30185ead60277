import type * as z from 'zod';
import { defineMethod } from './define-method.ts';
import * as part from '../parts/index.ts';
import { train, type Recipe } from '../kernel/recipe.ts';
import type { Tasks } from '../tasks/kinds/index.ts';
import { sum, weighted } from '../kernel/objective.ts';
import { pipe } from '../kernel/stage.ts';
import { controlPpoParams, controlPpoSanity, controlPpoSuggested } from './params/control-ppo.ts';

/** Actor and critic learn in one update. */
export const controlPpoRecipe = (p: z.output<typeof controlPpoParams>, task: Tasks['control']): Recipe =>
  train({
    rows: pipe(
      task.act(p),
      part.bootstrapped(p),
      part.gae(p),
      part.whiten({ on: p.whiten }),
      part.singleSteps('behaviorLogp', 'values', 'advantage', 'returns'),
    ),
    objective: sum(
      part.clippedSurrogate({ clipLow: p.clip, clipHigh: p.clip, average: 'token' }),
      weighted(p.valueWeight, part.clippedValue({ clip: p.valueClip })),
      weighted(p.entropyWeight, part.entropyBonus),
    ),
    epochs: p.epochs,
    minibatches: p.minibatches,
  });

/** PPO in a control world, with the settings of CleanRL's `ppo.py`: actor and critic learn in one update. */
export const controlPpo = defineMethod({
  id: 'control-ppo',
  title: 'PPO in a control world',
  summary:
    'A network acts in copies of a world; steps that turned out better than their value become likelier.',
  cites: 'arXiv:1707.06347; settings of CleanRL, JMLR 23 (274)',
  task: 'control',
  produces: 'policy',
  params: controlPpoParams,
  suggested: controlPpoSuggested,
  sanity: controlPpoSanity,
  recipe: controlPpoRecipe,
});
