import { defineMethod } from './define-method.ts';
import * as part from '../parts/index.ts';
import { train } from '../kernel/recipe.ts';
import { linearRate } from '../kernel/shared.ts';
import { pipe } from '../kernel/stage.ts';
import { t1Params } from './params/t1.ts';
import { sum, weighted } from '../kernel/objective.ts';

/** Policy gradient over many answers per prompt, kept close to a moving average of itself. */
export const t1 = defineMethod({
  id: 't1',
  title: 'T1: exploration with a moving reference',
  summary: 'Many answers per prompt, an entropy bonus, and a reference that follows the policy slowly.',
  cites: 'arXiv:2501.11651',
  task: 'verifiable',
  produces: 'policy',
  params: t1Params,
  suggested: linearRate(4e-4, { steps: 80, batch: 16 }),
  sanity: {
    world: 'toy/copy',
    metric: 'reward/mean',
    atLeast: 0.8,
    params: { groupSize: 8 },
    run: { optimizer: { learningRate: 5e-3 }, budget: { steps: 80, batch: 16 } },
  },
  recipe: (p, task) =>
    train({
      rows: pipe(
        task.prompts,
        part.sampleGroups(p),
        part.score(task.reward),
        part.overlongPenalty({ share: p.overlong }),
        part.centerByGroup(p),
        part.logpUnder('average'),
      ),
      objective: sum(
        part.clippedSurrogate({ clipLow: p.clip, clipHigh: p.clip, average: p.average }),
        weighted(
          p.klWeight,
          p.divergence === 'k3'
            ? part.klTo('average', { estimator: 'k3', average: p.average })
            : part.exactDivergence('average', { kind: p.divergence, average: p.average }),
        ),
        weighted(p.entropyWeight, part.entropyBonus),
      ),
      averaging: { decay: p.decay },
    }),
});
