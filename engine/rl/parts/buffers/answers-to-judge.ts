/** Answers of one role in the prompts of another. */
import type { Columns, PerRow, Problem } from '../../kernel/columns.ts';
import { gather } from '../../kernel/rows.ts';
import { stage } from '../../kernel/stage.ts';
import { shownPrompts } from '../math/written-verdicts.ts';

/** Right answers earn more than this; worlds with partial credit give 1 to a right one. */
const RIGHT_ABOVE = 0.5;

/**
 * Answers of a buffer, as prompts for a verifier: problem and answer, and the cue once for each step and once
 * for the whole. Draws as many as a batch has prompts, without repetition; all of them if there are fewer.
 * `row/truth` is 1 for a right answer.
 */
export const answersToJudge = <const B extends string>({
  from,
  cue,
}: {
  readonly from: B;
  readonly cue: string;
}) =>
  stage({
    id: `answersToJudge(${from}, ${cue})`,
    station: 'rows',
    needs: (['promptId', 'problem', 'completion', 'reward/total', 'row/steps'] as const).map(
      (column) => `buffer/${from}/${column}` as const,
    ),
    adds: ['promptId', 'problem', 'prompt', 'row/truth', 'row/steps'],
    run: async (inputs, { batch, random, text }) => {
      const stored = inputs as object as { readonly [port: string]: never };
      const column = <C extends keyof Columns>(name: C) => stored[`buffer/${from}/${name}`] as Columns[C];
      const completions = column('completion');
      const order = random('answers to judge').shuffle(completions.map((_, r) => r));
      const chosen = Uint32Array.from(order.slice(0, batch)).sort();
      // a given beginning of the answer is judged with the rest of it
      const problem = gather(column('problem'), chosen).map(({ hint: _, ...one }: Problem): Problem => one);
      const steps: PerRow = gather(column('row/steps'), chosen);
      const rows = problem.map(({ prompt }, r) => ({
        shown: prompt + completions[chosen[r]],
        cue: cue.repeat(steps[r] + 1),
      }));
      return {
        columns: {
          promptId: gather(column('promptId'), chosen),
          problem,
          prompt: shownPrompts(rows, text),
          'row/truth': gather(column('reward/total'), chosen).map((reward) => Number(reward > RIGHT_ABOVE)),
          'row/steps': steps,
        },
      };
    },
  });
