import { promptIdOf } from '../../../random/hash.ts';
import type { ColumnValue, Problem } from '../../kernel/columns.ts';
import { ragged, rowCount, rowOf } from '../../kernel/rows.ts';
import { stage } from '../../kernel/stage.ts';
import { type Proposals, proposedProblem } from '../math/proposals.ts';
import { shownPrompts } from '../math/written-verdicts.ts';

/**
 * Adds problems that another role has proposed to the batch's own: as many as it has at most, drawn from the
 * buffer, each prompt once; none while the buffer is empty. They keep the expected answers of the problems that
 * they were made from, and have the ids of their own prompts: answers to two of one problem differ.
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
    run: async (inputs, { random, text: port }) => {
      const { promptId, problem, prompt, ...ports } = inputs;
      const stored = ports as object as { readonly [port: string]: ColumnValue | undefined };
      const made = (stored[`buffer/${from}/problem`] ?? []) as readonly Problem[];
      const completions = (stored[`buffer/${from}/completion`] ?? []) as readonly string[];
      const order = random('proposals').shuffle(made.map((_, r) => r));
      const known = new Set(problem.map((each) => each.promptId));
      const different = order.flatMap((r) => {
        const { prompt: text, ...from } = proposedProblem(made[r], completions[r], { mark, ending });
        const id = promptIdOf(text);
        return known.has(id) || !known.add(id)
          ? []
          : [{ r, problem: { ...from, prompt: text, promptId: id } }];
      });
      const chosen = different.slice(0, problem.length).sort((a, b) => a.r - b.r);
      const proposed = chosen.map((each) => each.problem);
      const prompts = shownPrompts(
        proposed.map((each) => ({ shown: each.prompt, cue: '' })),
        port,
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
