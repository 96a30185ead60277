/**
 * Regular expressions of users: run under a watch, since a few letters of one can take longer than the
 * universe has been there.
 */
import { createContext, Script } from 'node:vm';
import { WhetstoneError } from '../../common/errors.ts';
import { BadReference, shown } from './match.ts';

/**
 * A second, longer try tells a pattern that does not end from a machine that was busy with something else.
 */
const TRIES_MS = [500, 2000];
const LAST_MS = TRIES_MS[TRIES_MS.length - 1];
const box = createContext({ pattern: /x/, text: '' }) as { pattern: RegExp; text: string };
const script = new Script('pattern.exec(text)');

export interface GuardedPattern {
  /**
   * The first match. Throws `invalid-input` with the pattern and the text where it takes longer than two
   * seconds.
   */
  exec(text: string): RegExpExecArray | null;
  test(text: string): boolean;
}

/** Compiles a pattern. Throws `BadReference` where it is none. */
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
