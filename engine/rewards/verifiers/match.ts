/** Shared code of verifiers that compare an answer with a stored reference. */
import * as z from 'zod';
import { afterMark, boxed } from '../../answers/numbers.ts';
import { WhetstoneError } from '../../common/errors.ts';
import { defineReward, type AnswerRow, type Reward } from '../reward.ts';

/** A reference that a verifier cannot use; the message continues "The reference …". */
export class BadReference extends Error {}

/** Longer answers are wrong without being read. */
export const LONGEST_ANSWER = 100_000;

export interface Match<P extends z.ZodObject, R> {
  readonly id: `match/${string}`;
  readonly title: string;
  readonly summary: string;
  readonly params: P;
  /** Parses a reference, once for each distinct one. Throws `BadReference`. */
  readonly reads: (reference: string, params: z.output<P>) => R;
  /** True if each answer is right, in order. Called with all rows to judge; must not throw for any text. */
  readonly judge: (
    rows: readonly { readonly expected: R; readonly row: AnswerRow }[],
    params: z.output<P>,
  ) => readonly boolean[] | Promise<readonly boolean[]>;
}

/** Number of distinct references kept parsed. */
const KEPT = 4096;

/**
 * A reward that is 1 if an answer agrees with its problem's reference, else 0. Throws `invalid-input` with
 * the prompt for a row without a reference, or with one that the verifier cannot parse.
 */
export const defineMatch = <P extends z.ZodObject, R>({
  id,
  title,
  summary,
  params,
  reads,
  judge,
}: Match<P, R>): Reward => ({
  ...defineReward({
    id,
    title,
    summary,
    params,
    needs: ['reference'],
    scorer: (chosen) => {
      const known = new Map<string, R>();
      const expectedOf = ({ reference = null, prompt }: AnswerRow): R => {
        const found = reference === null ? undefined : known.get(reference);
        if (found !== undefined) return found;
        const complaint =
          reference === null
            ? 'is missing'
            : complaintOf(() => {
                if (known.size >= KEPT) known.clear();
                known.set(reference, reads(reference, chosen));
              });
        if (complaint !== null)
          throw new WhetstoneError(
            'invalid-input',
            `The reference of the prompt "${prompt.slice(0, 80)}" ${complaint}.`,
            { where: `rewards: ${id}` },
          );
        return known.get(reference as string) as R;
      };
      return async (rows) => {
        const read = rows.map((row) => ({ row, expected: expectedOf(row) }));
        const short = read.filter(({ row }) => row.completion.length <= LONGEST_ANSWER);
        const verdicts = new Map((await judge(short, chosen)).map((right, i) => [short[i].row, right]));
        return Float64Array.from(rows, (row) => Number(verdicts.get(row) ?? false));
      };
    },
  }),
  complains: (given, reference) => complaintOf(() => reads(reference, params.parse(given))),
});

const complaintOf = (read: () => void): string | null => {
  try {
    read();
    return null;
  } catch (error) {
    if (error instanceof BadReference) return error.message;
    throw error;
  }
};

/** Judges rows one by one. */
export const each =
  <P, R>(isRight: (expected: R, answer: string, row: AnswerRow, params: P) => boolean) =>
  (rows: readonly { readonly expected: R; readonly row: AnswerRow }[], params: P): boolean[] =>
    rows.map(({ expected, row }) => isRight(expected, row.completion, row, params));

/** Parameters that select the compared part of an answer. */
export const partFields = {
  part: z
    .enum(['whole', 'last-line', 'marked'])
    .default('whole')
    .describe(
      'The compared part of the answer: all of it, its last line, or the text after the last mark ' +
        '(or in the last \\boxed{}).',
    ),
  mark: z
    .string()
    .min(1)
    .max(40)
    .default('####')
    .describe('The mark before the final answer (part "marked").'),
};

/** The compared part of an answer, trimmed; null if it has none. */
export const partOf = (
  answer: string,
  { part, mark }: { readonly part: 'whole' | 'last-line' | 'marked'; readonly mark: string },
): string | null => {
  const text = answer.trim();
  if (part === 'whole') return text;
  if (part === 'last-line') return text.split('\n').at(-1)?.trim() ?? '';
  const [box, marked] = [boxed(text), afterMark(text, mark)];
  if (!box) return marked?.content ?? null;
  return marked && marked.at > box.at ? marked.content : box.content.trim();
};

/** The JSON or code of an answer: its last fenced block, else all of it. */
export const lastBlock = (answer: string): string => {
  const parts = answer.split(/^[ \t]*```[^\n]*$/m);
  return (
    parts.length > 2 ? parts[parts.length % 2 === 1 ? parts.length - 2 : parts.length - 1] : answer
  ).trim();
};

export const shown = (text: string): string => (text.length > 80 ? `"${text.slice(0, 80)}…"` : `"${text}"`);
