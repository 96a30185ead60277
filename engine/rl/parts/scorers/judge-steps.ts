/** Text that a model writes about, or in reply to, the answers of a batch. */
import type { Columns, ModelPort } from '../../kernel/columns.ts';
import { stage } from '../../kernel/stage.ts';
import { asReply, replyColumns, writtenBy } from '../math/replies.ts';

/**
 * A verdict of the role `by` on each step of an answer and on the whole, in words behind the answer
 * (arXiv:2505.15034): the cue stands behind the answer once for each verdict that is due.
 */
export const judgeSteps = <const M extends string>({ by, cue }: { readonly by: M; readonly cue: string }) =>
  stage({
    id: `judgeSteps(${by}, ${cue})`,
    station: 'scorers',
    byText: true,
    needs: ['problem', 'sample', 'completion', 'row/steps', `model/${by}`],
    adds: replyColumns,
    run: async (inputs) => {
      const {
        problem,
        sample,
        completion,
        'row/steps': steps,
        ...models
      } = inputs as Pick<Columns, 'problem' | 'sample' | 'completion' | 'row/steps'> &
        Record<string, ModelPort>;
      const rows = problem.map(({ prompt }, r) => ({
        shown: prompt + completion[r],
        cue: cue.repeat(steps[r] + 1),
      }));
      return { columns: asReply(await writtenBy(models[`model/${by}`], rows, problem, sample)) };
    },
  });
