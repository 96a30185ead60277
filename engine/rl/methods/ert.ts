import { defineMethod } from './define-method.ts';
import * as part from '../parts/index.ts';
import { collect } from '../kernel/recipe.ts';
import { pipe } from '../kernel/stage.ts';
import { ertParams } from './params/ert.ts';

/**
 * Embodied red teaming: instructions of the same meaning at which a policy fails, in rounds (steps) that show
 * earlier failures to the writer. Nothing is trained: neither the policy nor the writer, which is a grammar:
 * the world’s own, or one of text around any prompt.
 */
export const ert = defineMethod({
  id: 'ert',
  title: 'Probe by instructions (ERT)',
  summary:
    'Asks prompts in other ways that mean the same, and keeps what a policy does with them: each step is ' +
    'a round that follows the failures of earlier ones. Nothing is trained.',
  cites: 'arXiv:2411.18676',
  task: 'instructions',
  produces: 'rows',
  params: ertParams,
  suggested: { budget: { steps: 4, batch: 100 }, evaluation: { problems: 0 } },
  recipe: (p, task) =>
    collect(
      pipe(
        task.prompts,
        part.writeInstructions(task.wordings, p),
        part.sampleGroups(p),
        part.score(task.scores),
        part.rememberFailures,
      ),
    ),
});
