import { defineMethod } from './define-method.ts';
import * as part from '../parts/index.ts';
import { coTrain, critic, role, rowsOf } from '../kernel/recipe.ts';
import { constantRate } from '../kernel/shared.ts';
import { pipe } from '../kernel/stage.ts';
import { directAdvantageParams } from './params/direct-advantage.ts';

/** A critic values each prefix by its probability of success; the policy is fitted to steps' advantages. */
export const directAdvantage = defineMethod({
  id: 'direct-advantage',
  title: 'Direct Advantage Policy Optimization',
  summary:
    'A critic first learns where answers go wrong, step by step; then each step becomes likelier by as ' +
    'much as it raised the odds.',
  cites: 'arXiv:2412.18279',
  task: 'verifiable',
  produces: 'policy',
  params: directAdvantageParams,
  suggested: constantRate(1e-3, { steps: 400, batch: 32 }),
  optimum: (world, p) =>
    world.fixedPoint({
      divergence: 'squared-log-ratio',
      weight: p.writer === 'policy' ? 0 : p.beta,
      earns: 'correctness',
    }),
  sanity: {
    world: 'toy/copy',
    metric: 'evaluation/gold',
    atLeast: 0.8,
    params: { step: 'token', writer: 'policy', lambda: 0.8, beta: 0.3, criticWarmup: 4, criticEpochs: 2 },
    run: { optimizer: { learningRate: 5e-3 }, budget: { steps: 240, batch: 16 } },
  },
  recipe: (p, task) =>
    coTrain({
      buffers: { written: rowsOf('policy', { fresh: true }) },
      roles: {
        policy: role({
          rows: pipe(
            task.prompts,
            p.writer === 'policy' ? part.sampleGroups(p) : part.sampleInitialGroups(p),
            part.score(task.reward),
            part.stepEnds(p),
            part.valuesOf('critic'),
            part.stepAdvantages(p),
          ),
          objective: part.advantageRegression(p),
          epochs: p.epochs,
        }),
        critic: critic({
          rows: pipe(part.rowsFrom('written', ['tokens', 'mask', 'weight', 'stepEnd', 'reward/total'])),
          objective: part.prefixValue,
          epochs: p.criticEpochs,
        }),
      },
      schedule: [
        { rounds: p.criticWarmup, turns: { policy: 0, critic: 1 } },
        { turns: p.writer === 'policy' ? { policy: 1, critic: 1 } : { policy: 1 } },
      ],
    }),
});
