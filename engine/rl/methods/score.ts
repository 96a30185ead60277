import { defineMethod } from './define-method.ts';
import * as part from '../parts/index.ts';
import { train } from '../kernel/recipe.ts';
import { constantRate } from '../kernel/shared.ts';
import { pipe } from '../kernel/stage.ts';
import { scoreParams } from './params/score.ts';
import { sum, weighted } from '../kernel/objective.ts';

/**
 * Self-correction in two attempts (SCoRe). Stage 1 rewards the second attempt alone and holds the first one
 * to the initial policy (eq. 3); stage 2 rewards both, the second with a bonus for its gain (eq. 4, section
 * 5.2). Baseline: the mean of the attempts of the same round on the same prompt.
 */
export const score = defineMethod({
  id: 'score',
  title: 'SCoRe: self-correction by two attempts',
  summary: 'Writes an answer, sees it and writes another; the second one earns a bonus for what it gains.',
  cites: 'arXiv:2409.12917',
  task: 'verifiable',
  produces: 'policy',
  params: scoreParams,
  presets: {
    words: {
      shown:
        '{prompt}\n\n{attempts}\n\nThere may be an error in this answer. If so, correct it and answer again:\n',
      attempt: '{attempt}',
    },
  },
  suggested: constantRate(3e-4, { steps: 100, batch: 32 }),
  texts: (p) => part.textsOf(p),
  sanity: {
    world: 'toy/copy',
    metric: 'attempts/later',
    atLeast: 0.8,
    params: { bonus: 1 },
    run: { optimizer: { learningRate: 5e-3 }, budget: { steps: 100, batch: 16 } },
  },
  recipe: (p, task) =>
    train({
      rows: pipe(
        task.prompts,
        part.sampleAttempts(task.reward, {
          first: p.groupSize,
          rounds: 1,
          next: part.showEach({ template: { ...p, ...part.WORDS } }),
          reasons: p.attempt.includes('{reason}'),
        }),
        part.rewardProgress({ bonus: p.bonus, until: p.stageOne }),
        part.groupByPrompt({ rounds: 'apart' }),
        part.centerByGroup({ scaleBy: 'none' }),
        part.weighAttempts({ first: p.holdFirst, later: p.klWeight, until: p.stageOne }),
        part.logpUnder('initial'),
      ),
      objective: sum(
        part.scoreFunction(),
        weighted(p.holdFirst + p.klWeight > 0 ? 1 : 0, part.weighedDivergence({ estimator: 'k3' })),
      ),
    }),
});
