import type { ColumnValue, Problem } from '../../kernel/columns.ts';
import { ragged, rowCount, rowOf } from '../../kernel/rows.ts';
import { stage } from '../../kernel/stage.ts';
import { type Proposals, proposedProblem } from '../math/proposals.ts';
import { shownPrompts } from '../math/written-verdicts.ts';

/**
 * Adds problems that another role has proposed to the batch's own: as many as it has, drawn from the buffer
 * without repetition; none while the buffer is empty. They keep the expected answers of the problems that
 * they were made from.
 */
export const withProposals = <const B extends string>({
  from,
  mark,
  ending,
}: Proposals & { readonly from: B }) =>
  stage({
    id: `withProposals(${from}, ${mark}, ${ending})`,
    station: 'rows',
    needs: ['promptId', 'problem', 'prompt', `buffer/${from}/problem`, `buffer/${from}/completion`],
    adds: ['promptId', 'problem', 'prompt'],
    run: async (inputs, { random, text }) => {
      const { promptId, problem, prompt, ...ports } = inputs;
      const stored = ports as object as { readonly [port: string]: ColumnValue | undefined };
      const made = (stored[`buffer/${from}/problem`] ?? []) as readonly Problem[];
      const completions = (stored[`buffer/${from}/completion`] ?? []) as readonly string[];
      const order = random('proposals').shuffle(made.map((_, r) => r));
      const chosen = order.slice(0, problem.length).sort((a, b) => a - b);
      const proposed = chosen.map((r) => proposedProblem(made[r], completions[r], { mark, ending }));
      const prompts = shownPrompts(
        proposed.map((each) => ({ shown: each.prompt, cue: '' })),
        text,
      );
      const own = Array.from({ length: rowCount(prompt) }, (_, r) => rowOf(prompt, r));
      return {
        from_R: Uint32Array.from({ length: own.length + chosen.length }, (_, r) => (r < own.length ? r : 0)),
        columns: {
          // a number of its own, so that its answers are not those of another prompt
          promptId: Float64Array.from([...promptId, ...chosen.map((_, p) => -1 - p)]),
          problem: [...problem, ...proposed],
          prompt: ragged([...own, ...chosen.map((_, p) => rowOf(prompts, p))], Int32Array),
        },
      };
    },
  });
