import * as z from 'zod';
import { defineMethod } from './define-method.ts';
import * as part from '../parts/index.ts';
import { coTrain, critic, role } from '../kernel/recipe.ts';
import { constantRate, range, shared } from '../kernel/shared.ts';
import { pipe } from '../kernel/stage.ts';

/** Stored answers are sampled the more often the better they are, then imitated. */
export const awSampling = defineMethod({
  id: 'aw-sampling',
  title: 'Advantage-weighted sampling of stored answers',
  summary:
    'Resamples stored answers in proportion to the exponential of their advantage over the prompt’s value, ' +
    'and imitates them.',
  cites: 'arXiv:2306.13085',
  task: 'answers',
  produces: 'policy',
  params: z.strictObject({
    weighBy: z
      .enum(['advantage', 'return'])
      .default('advantage')
      .describe('Sample by the reward minus the prompt’s value, or by the reward itself.'),
    alpha: range.positive.default(0.1).describe('Temperature: how much a better answer is preferred.'),
    criticSteps: range.updates
      .default(60)
      .describe('Updates of the critic before the policy learns; they count as steps of the run.'),
    average: shared.counts.default('token'),
  }),
  presets: { 'return-weighted': { weighBy: 'return', criticSteps: 1 } },
  suggested: constantRate(1e-3, { steps: 400, batch: 64 }),
  sanity: {
    world: 'toy/copy',
    worldParams: { letters: 6, wrong: 0.7 },
    metric: 'eval/pass_at_1',
    atLeast: 0.7,
    params: { criticSteps: 20 },
    run: { optimizer: { learningRate: 1e-2 }, budget: { steps: 150, batch: 48 } },
  },
  recipe: (p, task) => {
    const by = p.weighBy === 'advantage' ? part.sampleByAdvantage(p) : part.sampleByReturn(p);
    return coTrain({
      buffers: {},
      roles: {
        critic: critic({
          rows: pipe(task.answers, part.scoreOrLabel(task.reward)),
          objective: part.promptValueError,
        }),
        policy: role({
          rows: pipe(task.answers, part.scoreOrLabel(task.reward), by),
          objective: part.likelihood(p),
        }),
      },
      schedule: [{ rounds: p.criticSteps, turns: { critic: 1 } }, { turns: { policy: 1 } }],
    });
  },
});
