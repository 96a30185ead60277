import { encodeExample } from '../../text/spans.ts';
import type { Tokenizer } from '../../text/tokenizer.ts';
import type { PerToken } from '../kernel/columns.ts';
import { ragged } from '../kernel/rows.ts';

/** Marks a special token inside an answer, which no tokenizer can encode. */
const UNSPELLABLE = /\ufffd/g;

/** The distinct characters of an answer outside a tokenizer's alphabet. */
export const unreadIn = ({ spells }: Pick<Tokenizer, 'spells'>, completion: string): string =>
  spells
    ? [...new Set(completion.replace(UNSPELLABLE, ''))].filter((character) => !spells(character)).join('')
    : '';

/** The answer as a scorer reads it, without characters that the tokenizer cannot encode. */
export const readable = ({ spells }: Pick<Tokenizer, 'spells'>, completion: string): string => {
  const text = completion.replace(UNSPELLABLE, '');
  return spells ? [...text].filter((character) => spells(character)).join('') : text;
};

/** Number of tokens of prompt, answer and end mark, without cutting. */
export const tokensOf = (
  { prompt, completion }: { readonly prompt: string; readonly completion: string },
  tokenizer: Tokenizer,
): number => encodeExample(tokenizer, prompt, readable(tokenizer, completion)).tokens.length;

/**
 * Tokens of prompt and answer in the format of the reward model's training, cut to the context but with the
 * end mark.
 */
export const scoredTokens = (
  items: readonly { readonly prompt: string; readonly completion: string }[],
  tokenizer: Tokenizer,
  context: number,
): PerToken<Int32Array> =>
  ragged(items, Int32Array, ({ prompt, completion }) => {
    const { tokens } = encodeExample(tokenizer, prompt, readable(tokenizer, completion));
    return tokens.length <= context
      ? tokens
      : Int32Array.of(...tokens.subarray(0, context - 1), tokenizer.end);
  });
