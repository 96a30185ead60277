import * as z from 'zod';
import { promptIdOf } from '../../random/hash.ts';
import { stream } from '../../random/random.ts';
import { defineOperator, type PlanRow } from './operator.ts';

const word = z.string().min(1).max(20);
const params = z.strictObject({
  by: z
    .enum(['planted', 'outcome'])
    .default('planted')
    .describe(
      'planted: lines of right answers are replaced by lines of others, and marked wrong. outcome: every line of ' +
        'an answer has the mark of the whole.',
    ),
  share: z.number().min(0).max(1).default(0.3).describe('Share of the lines that are replaced.'),
  copies: z
    .int()
    .min(1)
    .max(64)
    .default(1)
    .describe('Rows from each right answer, with errors planted anew.'),
  right: word.default('Y').describe('The verdict on a right line or answer.'),
  wrong: word.default('N').describe('The verdict on a wrong one.'),
  cue: word.default('|').describe('Stands behind an answer, once for each verdict that is due.'),
  seed: z.int().min(0).max(0xffff_ffff).default(0),
});

/**
 * Rows from which a verifier learns to write verdicts, by the marks of whole answers alone. All lines of a
 * right answer are right, and one that replaces another of its lines is taken as wrong, without labels on
 * lines; the last line, the final answer, is never replaced. `outcome` is what supervised training makes of
 * the same marks.
 */
export const verdicts = defineOperator({
  id: 'verdicts',
  title: 'Verdicts',
  summary: 'Rows with a verdict on each line of an answer: of planted errors, or of the outcome.',
  params,
  needs: () => ['correct'],
  adds: ['correct'],
  apply: (rows, own) => (own.by === 'outcome' ? byOutcome(rows, own) : planted(rows, own)),
});
type Params = z.output<typeof params>;

const byOutcome = (rows: readonly PlanRow[], own: Params): PlanRow[] =>
  rows.flatMap((row) => {
    const { correct } = row;
    if (correct === null) return [];
    const lines = row.answer.split('\n');
    const made = judged(row, lines, { marks: lines.map(() => correct), own });
    return Array.from({ length: correct ? own.copies : 1 }, () => made);
  });

const planted = (rows: readonly PlanRow[], own: Params): PlanRow[] => {
  const right = rows.filter(({ correct }) => correct === true);
  const others = [...new Set(right.flatMap(({ answer }) => answer.split('\n').slice(0, -1)))];
  if (others.length < 2) return [];
  const draw = stream(own.seed, 'planted errors');
  return right.flatMap((row) =>
    Array.from({ length: own.copies }, () => {
      const before = row.answer.split('\n');
      const lines = before.map((line, at) =>
        at < before.length - 1 && draw.next() < own.share
          ? draw.pick(others.filter((other) => other !== line))
          : line,
      );
      const holds = lines.slice(0, -1).map((line, at) => line === before[at]);
      return judged(row, lines, { marks: [...holds, holds.every(Boolean)], own });
    }),
  );
};

/** A row that shows an answer with its cues, and whose answer is the verdicts. */
const judged = (
  row: PlanRow,
  lines: readonly string[],
  { marks, own }: { readonly marks: readonly boolean[]; readonly own: Params },
): PlanRow => {
  const prompt = row.prompt + lines.join('\n') + own.cue.repeat(lines.length);
  const answer = marks.map((isRight) => (isRight ? own.right : own.wrong)).join('');
  return { ...row, prompt, promptId: promptIdOf(prompt), answer, reference: null, correct: true };
};
