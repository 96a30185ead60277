/** Verdicts in words that a model writes about the steps of an answer, and the prompts that ask for them. */
import type { PerToken } from '../../kernel/columns.ts';
import type { VerdictWords } from '../../kernel/recipe.ts';
import { ragged } from '../../kernel/rows.ts';
import type { TextPort } from '../../kernel/columns.ts';

/**
 * The verdicts of a text that consists of verdict words and spaces; null for any other. `count`: how many
 * there must be.
 */
export const verdictsOf = (
  text: string,
  { right, wrong }: Pick<VerdictWords, 'right' | 'wrong'>,
  count: number,
): readonly boolean[] | null => {
  const found: boolean[] = [];
  for (let rest = text.trim(); rest !== ''; rest = rest.trimStart()) {
    const word = [right, wrong].sort((a, b) => b.length - a.length).find((each) => rest.startsWith(each));
    if (word === undefined) return null;
    found.push(word === right);
    rest = rest.slice(word.length);
  }
  return found.length === count ? found : null;
};

/**
 * Prompts that show a text and end with a cue. One that leaves no room for an answer of the maximum length
 * loses the end of the text, not the cue.
 */
export const shownPrompts = (
  rows: readonly { readonly shown: string; readonly cue: string }[],
  text: Pick<TextPort, 'prompt' | 'encode' | 'context' | 'maxTokens'>,
): PerToken<Int32Array> => {
  const room = Math.max(1, text.context - text.maxTokens);
  return ragged(rows, Int32Array, ({ shown, cue }) => {
    const whole = text.prompt(shown + cue);
    if (whole.length <= room) return whole;
    const end = text.encode(cue).slice(-room);
    return [...text.prompt(shown).slice(0, room - end.length), ...end];
  });
};
