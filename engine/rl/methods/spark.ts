import * as z from 'zod';
import { defineMethod } from './define-method.ts';
import * as part from '../parts/index.ts';
import { train } from '../kernel/recipe.ts';
import { linearRate, shared } from '../kernel/shared.ts';
import { pipe } from '../kernel/stage.ts';
import { nearInitial } from './params/near-initial.ts';
import { word } from './params/tango.ts';

/** One model is policy and judge: its verified answers become tasks of judging and mending in the same step. */
export const spark = defineMethod({
  id: 'spark',
  title: 'SPARK: policy and judge in one',
  summary:
    'Learns from rewards as GRPO does, and in the same step to judge, compare and mend its own answers.',
  cites: 'arXiv:2509.22624',
  task: 'verifiable',
  produces: 'policy',
  params: z
    .strictObject({
      groupSize: shared.groupSize.default(8),
      clip: shared.clip.default(0.2),
      klWeight: shared.klWeight.default(0.01),
      scaleBy: shared.scaleBy.default('sample'),
      right: word.default('Y').describe('The verdict on a right answer, or on the better one of two.'),
      wrong: word.default('N').describe('The other verdict.'),
      cue: word.default('|').describe('Stands behind what is shown, once, twice or three times by the task.'),
      epochs: shared.epochs.default(1),
    })
    .refine(({ right, wrong }) => right !== wrong, {
      message: 'must differ from the verdict on a right answer',
      path: ['wrong'],
    }),
  suggested: linearRate(4e-4, { steps: 80, batch: 32 }),
  texts: (p) => [p.right, p.wrong, p.cue],
  sanity: {
    world: 'toy/copy',
    metric: 'evaluation/gold',
    atLeast: 0.8,
    params: { klWeight: 0 },
    run: { optimizer: { learningRate: 5e-3 }, budget: { steps: 90, batch: 12 } },
  },
  recipe: (p, task) =>
    train({
      rows: pipe(
        task.prompts,
        part.sampleGroups(p),
        part.score(task.reward),
        part.recycle(task.reward, { by: 'policy', ...p }),
        part.bothSides(),
        part.centerByGroup(p),
        part.logpUnder('initial'),
      ),
      objective: nearInitial(p),
      epochs: p.epochs,
    }),
});
