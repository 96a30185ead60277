import { defineMethod } from './define-method.ts';
import * as part from '../parts/index.ts';
import { train } from '../kernel/recipe.ts';
import { constantRate } from '../kernel/shared.ts';
import { pipe } from '../kernel/stage.ts';
import { agentRlvrParams } from './params/agent-rlvr.ts';

/**
 * Guidance after failure (Agent-RLVR): problems whose attempts all fail are tried again with guidance in the
 * prompt, made of the verifier's verdict; the best and worst trajectories of a problem, guided or not, are a
 * pair of answers to the plain prompt (section 3).
 */
export const agentRlvr = defineMethod({
  id: 'agent-rlvr',
  title: 'Agent-RLVR: guided second attempts',
  summary:
    'Tries again with guidance where every answer failed, and prefers the guided success to the failure, ' +
    'on the prompt without guidance.',
  cites: 'arXiv:2506.11425',
  task: 'verifiable',
  produces: 'policy',
  params: agentRlvrParams,
  suggested: constantRate(5e-4, { steps: 80, batch: 32 }),
  texts: (p) => part.textsOf(p),
  sanity: {
    world: 'toy/copy',
    metric: 'evaluation/gold',
    atLeast: 0.8,
    params: { attempt: '{attempt};', shown: '{answer};{prompt}' },
    run: { optimizer: { learningRate: 5e-3 }, budget: { steps: 80, batch: 16 } },
  },
  recipe: (p, task) =>
    train({
      rows: pipe(
        task.prompts,
        part.sampleAttempts(task.reward, {
          first: p.groupSize,
          rounds: 1,
          next: part.rescue({ stages: [p], answers: p.groupSize }),
          reasons: p.attempt.includes('{reason}'),
        }),
        part.plainPrompts,
        part.groupByPrompt({ rounds: 'together' }),
        part.bestAgainstWorst,
        part.asPairs,
        part.logpUnder('initial'),
      ),
      objective: part.ratioMargin({ beta: p.beta, loss: part.logisticLoss() }),
    }),
});
