/** Users' regular expressions, run with a time limit, since a short pattern can take exponential time. */
import { createContext, Script } from 'node:vm';
import { WhetstoneError } from '../../common/errors.ts';
import { BadReference, shown } from './match.ts';

/**
 * Time limits of the first and second try: a second, longer one distinguishes catastrophic backtracking from
 * a busy machine.
 */
const TRIES_MS = [500, 2000];
const LAST_MS = TRIES_MS[TRIES_MS.length - 1];
const box = createContext({ pattern: /x/, text: '' }) as { pattern: RegExp; text: string };
const script = new Script('pattern.exec(text)');

export interface GuardedPattern {
  /**
   * The first match. Throws `invalid-input` with the pattern and the text if it takes longer than two
   * seconds.
   */
  exec(text: string): RegExpExecArray | null;
  test(text: string): boolean;
}

/** Compiles a pattern. Throws `BadReference` if it is invalid. */
export const guardedPattern = (source: string, flags: string): GuardedPattern => {
  let pattern: RegExp;
  try {
    pattern = new RegExp(source, flags);
  } catch (error) {
    throw new BadReference(`is not a regular expression (${(error as SyntaxError).message})`);
  }
  const tried = (text: string, timeout: number): RegExpExecArray | null | undefined => {
    [box.pattern, box.text] = [pattern, text];
    try {
      return script.runInContext(box, { timeout }) as RegExpExecArray | null;
    } catch (error) {
      if ((error as { code?: unknown }).code === 'ERR_SCRIPT_EXECUTION_TIMEOUT') return undefined;
      throw error;
    }
  };
  const exec = (text: string): RegExpExecArray | null => {
    for (const timeout of TRIES_MS) {
      const found = tried(text, timeout);
      if (found !== undefined) return found;
    }
    throw new WhetstoneError(
      'invalid-input',
      `The pattern /${source}/${flags} takes longer than ${LAST_MS} ms on an answer of ${text.length} ` +
        `characters: ${shown(text)}`,
      {
        where: 'rewards: match/pattern',
        hint: 'Write it without one repetition inside another, such as (a+)+.',
      },
    );
  };
  return { exec, test: (text) => exec(text) !== null };
};
