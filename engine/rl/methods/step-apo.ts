import { defineMethod } from './define-method.ts';
import * as part from '../parts/index.ts';
import { coTrain, critic, role, sampledBy } from '../kernel/recipe.ts';
import { constantRate } from '../kernel/shared.ts';
import { pipe } from '../kernel/stage.ts';
import { stepApoParams } from './params/step-apo.ts';
import { treeColumns } from './params/trees.ts';

/** Tree search under a value model; both models learn from it: values from the tree, steps from siblings. */
export const stepApo = defineMethod({
  id: 'step-apo',
  title: 'Step-level advantage preference optimization (Step-APO)',
  summary:
    'Searches trees of answers under a critic, and prefers the better of two steps from one state by the ' +
    'difference of their advantages.',
  cites: 'arXiv:2409.08642',
  task: 'verifiable',
  produces: 'policy',
  params: stepApoParams,
  presets: { x1: { scale: 0 } },
  suggested: constantRate(5e-4, { steps: 160, batch: 16 }),
  sanity: {
    world: 'toy/copy',
    metric: 'evaluation/gold',
    atLeast: 0.8,
    params: { groupSize: 12, width: 3, step: 'token', criticEpochs: 1 },
    run: { optimizer: { learningRate: 5e-3 }, budget: { steps: 88, batch: 12 } },
  },
  recipe: (p, task) =>
    coTrain({
      buffers: { searched: sampledBy('policy', treeColumns) },
      roles: {
        policy: role({
          rows: pipe(
            task.prompts,
            part.searchTrees(task.reward, p),
            part.treeValues(p),
            part.siblingPairs({ ...p, choose: 'every' }),
            part.logpUnder('initial'),
          ),
          objective: part.advantageMargin(p),
        }),
        critic: critic({
          rows: pipe(part.rowsFrom('searched', treeColumns)),
          objective: part.valueRegression,
          epochs: p.criticEpochs,
        }),
      },
      schedule: [{ turns: { policy: 1, critic: 1 } }],
    }),
});
