import * as z from 'zod';
import { defineMethod } from './define-method.ts';
import * as part from '../parts/index.ts';
import { coTrain, critic, role } from '../kernel/recipe.ts';
import { constantRate, range } from '../kernel/shared.ts';
import { pipe } from '../kernel/stage.ts';

/**
 * Offline policy gradient with the whole answer as one action: only stored answers that beat their prompt's
 * value count.
 */
export const aLol = defineMethod({
  id: 'a-lol',
  title: 'Advantage-based offline policy gradient (A-LoL)',
  summary:
    'Learns what a prompt is worth, then imitates the stored answers that are better than that, the more ' +
    'so the better they are.',
  cites: 'arXiv:2305.14718',
  task: 'answers',
  produces: 'policy',
  params: z.strictObject({
    criticSteps: range.updates
      .default(60)
      .describe('Updates of the critic before the policy learns; they count as steps of the run.'),
    clip: range.fraction
      .default(0.9)
      .describe('How far the weight π ⁄ π_initial of an answer may be from 1.'),
  }),
  suggested: constantRate(1e-3, { steps: 400, batch: 64 }),
  sanity: {
    world: 'toy/copy',
    worldParams: { letters: 6, wrong: 0.7 },
    metric: 'eval/pass_at_1',
    atLeast: 0.7,
    params: { criticSteps: 20 },
    run: { optimizer: { learningRate: 1e-2 }, budget: { steps: 150, batch: 48 } },
  },
  recipe: (p, task) =>
    coTrain({
      buffers: {},
      roles: {
        // a copy of the run's initial model; frozen once the policy trains
        critic: critic({
          rows: pipe(task.answers, part.scoreOrLabel(task.reward)),
          objective: part.promptValueError,
        }),
        policy: role({
          rows: pipe(
            task.answers,
            part.scoreOrLabel(task.reward),
            part.positiveAdvantage,
            part.logpUnder('initial'),
          ),
          objective: part.weighedAnswers(p),
        }),
      },
      schedule: [{ rounds: p.criticSteps, turns: { critic: 1 } }, { turns: { policy: 1 } }],
    }),
});
