import { defineMethod } from './define-method.ts';
import * as part from '../parts/index.ts';
import { coTrain, role, rowsOf } from '../kernel/recipe.ts';
import { linearRate } from '../kernel/shared.ts';
import { pipe } from '../kernel/stage.ts';
import { nearInitial } from './params/near-initial.ts';
import { tangoParams, tangoVerifier } from './params/tango.ts';

/**
 * Generator and step verifier train in turns: the verifier learns from the outcomes alone, and its verdicts
 * on steps are credit for the generator.
 */
export const tango = defineMethod({
  id: 'tango',
  title: 'Tango: generator and verifier',
  summary:
    'A second model writes a verdict on each step; it is rewarded for judging the outcome, and its verdicts ' +
    'guide the policy.',
  cites: 'arXiv:2505.15034',
  task: 'verifiable',
  produces: 'policy',
  params: tangoParams,
  suggested: linearRate(4e-4, { steps: 160, batch: 32 }),
  texts: (p) => [p.right, p.wrong, p.cue],
  sanity: {
    world: 'toy/copy',
    metric: 'evaluation/gold',
    atLeast: 0.8,
    params: { step: 'token', warmup: 4, klWeight: 0, groupSize: 8 },
    run: { optimizer: { learningRate: 5e-3 }, budget: { steps: 112, batch: 12 } },
  },
  recipe: (p, task) =>
    coTrain({
      buffers: { solutions: rowsOf('policy', { fresh: true }) },
      roles: {
        policy: role({
          rows: pipe(
            task.prompts,
            part.sampleGroups(p),
            part.score(task.reward),
            part.stepEnds(p),
            part.countSteps,
            part.judgeSteps({ by: 'verifier', cue: p.cue }),
            part.centerByGroup({ scaleBy: 'sample' }),
            part.verdictCredit(p),
            part.logpUnder('initial'),
          ),
          objective: nearInitial(p),
        }),
        verifier: tangoVerifier(p),
      },
      schedule: [
        { rounds: p.warmup, turns: { policy: 0, verifier: 1 } },
        { turns: { policy: p.turns, verifier: 1 } },
      ],
    }),
});
