import { defineMethod } from './define-method.ts';
import * as part from '../parts/index.ts';
import { coTrain, role, rowsOf } from '../kernel/recipe.ts';
import { linearRate } from '../kernel/shared.ts';
import { pipe } from '../kernel/stage.ts';
import { martParams } from './params/mart.ts';

/** Attacker and target in rounds: each imitates what the rewards keep of its own output (algorithm 1). */
export const mart = defineMethod({
  id: 'mart',
  title: 'Multi-round automatic red teaming',
  summary:
    'An attacker imitates its attacks at which the policy fails; the policy imitates its good replies to them.',
  cites: 'arXiv:2311.07689',
  task: 'verifiable',
  produces: 'policy',
  params: martParams,
  suggested: linearRate(1e-3, { steps: 160, batch: 32 }),
  texts: (p) => [p.cue, p.mark, p.ending],
  sanity: {
    world: 'toy/triggers',
    worldParams: { side: 'defend', letters: 6, size: 1, families: 3, length: 3 },
    metric: 'evaluation/gold',
    atLeast: 0.7,
    params: { groupSize: 16, threshold: 0.4 },
    run: { optimizer: { learningRate: 1e-2 }, budget: { steps: 80, batch: 16 } },
  },
  recipe: (p, task) =>
    coTrain({
      buffers: { attacks: rowsOf('attacker', { last: p.kept }) },
      roles: {
        policy: role({
          rows: pipe(
            task.prompts,
            part.withProposals({ from: 'attacks', ...p }),
            part.sampleGroups(p),
            part.score(task.reward),
            part.keepAbove(p),
          ),
          objective: part.likelihood({ average: 'sequence' }),
        }),
        attacker: role({
          rows: pipe(
            task.prompts,
            part.askToPropose({ shows: 'prompt', cue: p.cue, examples: { of: 'attacks', most: p.shown } }),
            part.sampleGroups(p),
            part.replyTo({ by: 'policy', sees: 'proposal', ...p }),
            part.scoreProposals(task.reward, p),
            part.attackSuccess,
            part.rememberBest({ as: 'attacks', threshold: p.threshold, most: p.shown }),
            part.keepAbove(p),
          ),
          objective: part.likelihood({ average: 'sequence' }),
        }),
      },
      schedule: [{ turns: { attacker: 1, policy: 1 } }],
    }),
});
