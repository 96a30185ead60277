import { defineMethod } from './define-method.ts';
import * as part from '../parts/index.ts';
import { train } from '../kernel/recipe.ts';
import { constantRate } from '../kernel/shared.ts';
import { pipe } from '../kernel/stage.ts';
import { critiqueGrpoParams } from './params/critique-grpo.ts';
import { sum } from '../kernel/objective.ts';

/**
 * Group comparison with one refinement: each answer is answered again with a critique in the prompt, and the
 * best refinement joins the group as an answer to the plain prompt (section 4). The critique is the
 * verifier's.
 */
export const critiqueGrpo = defineMethod({
  id: 'critique-grpo',
  title: 'Critique-GRPO',
  summary:
    'Revises answers after a critique, and adds the best revision to the group of its prompt, with more ' +
    'weight on tokens that the policy finds unlikely.',
  cites: 'arXiv:2506.03106',
  task: 'verifiable',
  produces: 'policy',
  params: critiqueGrpoParams,
  presets: {
    'with-answer': {
      shown: '{prompt}\n{attempts}\nThe right answer is {answer}. Answer again:\n',
      attempt: '{attempt}\nThis answer is {verdict}. {reason}\n',
    },
  },
  suggested: constantRate(4e-4, { steps: 80, batch: 32 }),
  texts: (p) => part.textsOf(p),
  sanity: {
    world: 'toy/copy',
    metric: 'evaluation/gold',
    atLeast: 0.8,
    params: { attempt: '{attempt}{verdict}', right: '!', wrong: '?', scaleBy: 'sample' },
    run: { optimizer: { learningRate: 5e-3 }, budget: { steps: 80, batch: 16 } },
  },
  recipe: (p, task) =>
    train({
      rows: pipe(
        task.prompts,
        part.sampleAttempts(task.reward, {
          first: p.groupSize,
          rounds: 1,
          next: part.showEach({ template: p }),
          reasons: p.attempt.includes('{reason}'),
        }),
        part.keepBestRevision,
        part.plainPrompts,
        part.groupByPrompt({ rounds: 'together' }),
        part.centerByGroup(p),
        part.splitRevised,
      ),
      objective: sum(
        part.clippedSurrogate({ clipLow: p.clip, clipHigh: p.clip, average: p.average }),
        part.shapedSurrogate({ gamma: p.gamma, average: p.average }),
      ),
    }),
});
