/** Start states inside a role's own earlier answers. */
import type { Problem } from '../../kernel/columns.ts';
import { ragged, rowOf } from '../../kernel/rows.ts';
import { stage, type StageContext } from '../../kernel/stage.ts';
import { type OwnAnswer, type OwnPrompt, remembered } from '../buffers/own-answers.ts';
import { type Step, stepsOf } from '../math/steps.ts';

interface Restart {
  readonly of: OwnPrompt;
  readonly answer: OwnAnswer;
  readonly isGood: boolean;
}

/** The answer without its last 1 … `depth` steps, and the mark behind it; null if nothing would be left. */
const cutBack = (
  { tokens }: OwnAnswer,
  { depth, step, mark }: { readonly depth: number; readonly step: Step; readonly mark: readonly number[] },
  { text, random }: { readonly text: StageContext['text']; readonly random: { int(n: number): number } },
): readonly number[] | null => {
  const ends = stepsOf(
    new Uint8Array(tokens.length).fill(1),
    (t) => step === 'line' && text.decode([tokens[t]]).includes('\n'),
    step,
  ).map(([, last]) => last + 1);
  const left = ends.length - 1 - random.int(depth);
  if (left <= 0) return null;
  const prefix = [...tokens.slice(0, ends[left - 1]), ...mark];
  return prefix.length < text.maxTokens ? prefix : null;
};

/**
 * Replaces a share of a batch's prompts by beginnings of own answers, right ones (`good`) and wrong ones
 * (`bad`), cut back by 1 … `depth` steps and followed by `mark` (arXiv:2502.02508, section 4.2, restart and
 * explore). `row/start` is 1 for a good beginning, −1 for a bad one, and 0 for a prompt. While there are not
 * enough own answers (`rememberAnswers` keeps them), prompts stay.
 */
export const ownStarts = ({
  good,
  bad,
  depth,
  step,
  mark,
}: {
  readonly good: number;
  readonly bad: number;
  readonly depth: number;
  readonly step: Step;
  readonly mark: string;
}) =>
  stage({
    id: `ownStarts(${good}, ${bad}, ${depth}, ${step})`,
    station: 'context',
    continues: true,
    needs: ['promptId', 'problem', 'prompt'],
    adds: ['promptId', 'problem', 'prompt', 'row/start'],
    run: async ({ promptId, problem, prompt }, { memory, text, random: randomOf }) => {
      const random = randomOf('start states');
      const stored = remembered(memory);
      const given = mark === '' ? [] : [...text.encode(mark)];
      const drawn = (share: number, isGood: boolean): readonly Restart[] => {
        const own = stored.flatMap((of) => {
          const answer = isGood ? of.right : of.wrong;
          return answer ? [{ of, answer, isGood }] : [];
        });
        const exact = share * problem.length;
        // a share of few prompts is met on average
        const left = exact % 1;
        const count = own.length === 0 ? 0 : Math.floor(exact) + (left > 0 && random.next() < left ? 1 : 0);
        return Array.from({ length: count }, () => own[random.int(own.length)]);
      };
      const restarts = [...drawn(good, true), ...drawn(bad, false)].slice(0, problem.length);
      const rows = problem.map((plain, p) => {
        const restart = restarts[p - (problem.length - restarts.length)] as Restart | undefined;
        const tokens = restart && cutBack(restart.answer, { depth, step, mark: given }, { text, random });
        if (!restart || !tokens)
          return { id: promptId[p], problem: plain, prompt: rowOf(prompt, p), start: 0 };
        const { answer, of, isGood } = restart;
        const share = tokens.length / Math.max(1, answer.tokens.length);
        const begun: Problem = { ...of.problem, hint: { share, tokens, parent: answer.id } };
        return { id: of.promptId, problem: begun, prompt: [...of.prompt, ...tokens], start: isGood ? 1 : -1 };
      });
      return {
        columns: {
          promptId: Float64Array.from(rows, ({ id }) => id),
          problem: rows.map((row) => row.problem),
          prompt: ragged(rows, Int32Array, (row) => row.prompt),
          'row/start': Float64Array.from(rows, ({ start }) => start),
        },
      };
    },
  });
