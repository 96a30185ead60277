import * as z from 'zod';
import { shownText, WORDS } from '../../common/shown-answers.ts';
import { promptIdOf } from '../../random/hash.ts';
import { byPrompt, defineOperator, type PlanRow } from './operator.ts';

const names = (...all: readonly string[]) => ({
  check: (text: string) => all.every((name) => text.includes(name)),
  message: `It names ${all.join(' and ')}.`,
});
const whole = names('{prompt}', '{attempts}');
const one = names('{attempt}');

/** Answer that the rows of a prompt learn: the first right one, else the reference, else none. */
const targetOf = (
  own: readonly PlanRow[],
): { readonly target: Showable['target']; readonly answer: string } => {
  const right = own.find(({ correct }) => correct === true)?.answer;
  if (right !== undefined) return { target: 'sampled', answer: right };
  const reference = own.find((row) => row.reference !== null)?.reference ?? null;
  return reference === null ? { target: 'none', answer: '' } : { target: 'reference', answer: reference };
};

/** Prompts with as many answers that can be shown, and what their rows would learn. */
export interface Showable {
  readonly target: 'sampled' | 'reference' | 'none';
  readonly answers: number;
  readonly prompts: number;
}

/** How many prompts have how many answers that `show` may show, by what its rows would learn. */
export function showable(rows: readonly PlanRow[]): readonly Showable[] {
  const all = [...byPrompt(rows).values()].map((own) => ({ ...targetOf(own), answers: own.length }));
  return [...Map.groupBy(all, ({ target, answers }) => `${target} ${answers}`).values()].map((some) => ({
    target: some[0].target,
    answers: some[0].answers,
    prompts: some.length,
  }));
}

/**
 * Rows that learn to improve answers: the prompt shows `attempts` answers of a run to it, and the answer is the
 * first right one (mutation SFT of EvoScale, arXiv:2505.23604; repair chains of LEDEX, arXiv:2405.18649). Answers are taken in
 * their order, each once; a prompt with too few of them, or without a right answer, makes no row. With
 * `fallback` a prompt without one learns the reference of its task.
 */
export const show = defineOperator({
  id: 'show',
  title: 'Show attempts',
  summary: 'Answers of a run go into the prompt, and the answer is the first right one to it.',
  params: z.strictObject({
    attempts: z.int().min(1).max(32).default(3).describe('Answers that a prompt shows.'),
    which: z.enum(['all', 'wrong']).default('all').describe('Answers that may be shown.'),
    shown: z.string().max(4000).default('{prompt}{attempts}').refine(whole.check, { message: whole.message }),
    attempt: z.string().max(1000).default('{attempt};').refine(one.check, { message: one.message }),
    fallback: z
      .boolean()
      .default(false)
      .describe('True if a prompt without a right answer learns the reference answer of its task.'),
    keep: z
      .boolean()
      .default(false)
      .describe('True if a row with the plain prompt is kept for each new one.'),
  }),
  needs: ({ fallback }) => (fallback ? [] : ['correct']),
  readsReferences: ({ fallback }) => fallback,
  apply: (rows, { attempts, which, shown, attempt, fallback, keep }) =>
    [...byPrompt(rows).values()].flatMap((own) => {
      const [first] = own;
      const { target, answer } = targetOf(own);
      if (target === 'none' || (target === 'reference' && !fallback)) return [];
      const given = own.filter(({ correct }) => which === 'all' || correct === false);
      const count = Math.floor(given.length / attempts);
      return Array.from({ length: count }, (_, at) => {
        const some = given.slice(at * attempts, (at + 1) * attempts);
        const prompt = shownText(
          { shown, attempt, ...WORDS },
          first,
          some.map((row) => ({ text: row.answer, reward: Number(row.correct === true), reason: '' })),
        );
        const made = { ...some[0], prompt, promptId: promptIdOf(prompt), answer, correct: true };
        return keep ? [made, { ...first, answer, correct: true }] : [made];
      }).flat();
    }),
});
