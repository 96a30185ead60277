/** Prompts that show earlier answers, within the context. */
import * as z from 'zod';
import { NAMES, shownText, WORDS, type ShownAnswer, type Template } from '../../../common/shown-answers.ts';
import type { Problem } from '../../kernel/columns.ts';
import type { TextPort } from '../../kernel/columns.ts';

/** Parameters of methods that show earlier answers. */
export const templates = {
  shown: z
    .string()
    .max(4000)
    .refine((text) => text.includes('{prompt}'), { message: 'It names {prompt}.' })
    .describe('The prompt that shows earlier answers: {prompt}, {attempts}.'),
  attempt: z
    .string()
    .max(1000)
    .refine((text) => text.includes('{attempt}'), { message: 'It names {attempt}.' })
    .describe('One earlier answer in it: {attempt}, {verdict} (right or wrong), {reason} (the verifier’s).'),
} as const;

/** Both in words, for models that read language. */
export const WORDED = {
  shown: '{prompt}\n\nEarlier answers:\n{attempts}\nA better answer:\n',
  attempt: '- {attempt}\n',
} as const;

/** Characters of the reasons that verifiers give. */
export const REASONS = 'abcdefghijklmnopqrstuvwxyzABCDEFGHIJKLMNOPQRSTUVWXYZ0123456789 .,:;()+-';

/** What a tokenizer must spell for a template, besides the task's own texts. */
export const textsOf = (...all: readonly Partial<Template>[]): string[] =>
  all.flatMap(({ shown = '', attempt = '', right = WORDS.right, wrong = WORDS.wrong }) => [
    shown.replaceAll(NAMES, ''),
    attempt.replaceAll(NAMES, ''),
    ...(attempt.includes('{verdict}') ? [right, wrong] : []),
    ...(attempt.includes('{reason}') ? [REASONS] : []),
  ]);

/** A prompt in place of the problem's, with its tokens. */
export interface ShownPrompt {
  readonly text: string;
  readonly tokens: Int32Array;
  /** How many of the answers it does not show: the first ones. */
  readonly leftOut: number;
}

/**
 * The prompt that leaves room for an answer: the oldest answers are left out until it does. Null if it has no
 * room without any, if none is left to show, or if the template shows the right answer, which is not known.
 */
export const fitted = (
  template: Template,
  problem: Pick<Problem, 'prompt' | 'reference'>,
  answers: readonly ShownAnswer[],
  text: TextPort,
): ShownPrompt | null => {
  if (template.shown.includes('{answer}') && problem.reference === null) return null;
  const showsSome = template.shown.includes('{attempts}');
  for (let from = 0; from <= answers.length; from++) {
    if (showsSome && from === answers.length) return null;
    const whole = shownText(template, problem, answers.slice(from));
    const tokens = text.prompt(whole);
    const leftOut = showsSome ? from : answers.length;
    if (tokens.length + text.maxTokens <= text.context) return { text: whole, tokens, leftOut };
    if (!showsSome) return null;
  }
  return null;
};
