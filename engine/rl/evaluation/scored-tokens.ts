import { encodeExample } from '../../text/spans.ts';
import type { Tokenizer } from '../../text/tokenizer.ts';
import type { PerToken } from '../kernel/columns.ts';
import { ragged } from '../kernel/rows.ts';

/** What no tokenizer can spell stands for a special token inside an answer. */
const UNSPELLABLE = /\ufffd/g;

/** The characters of an answer that a tokenizer's alphabet lacks, each once. */
export const unreadIn = ({ spells }: Pick<Tokenizer, 'spells'>, completion: string): string =>
  spells
    ? [...new Set(completion.replace(UNSPELLABLE, ''))].filter((character) => !spells(character)).join('')
    : '';

/** An answer as a scorer reads it: what cannot be spelled is left out. */
export const readable = ({ spells }: Pick<Tokenizer, 'spells'>, completion: string): string => {
  const text = completion.replace(UNSPELLABLE, '');
  return spells ? [...text].filter((character) => spells(character)).join('') : text;
};

/** How many tokens an answer takes with its prompt and the end mark, as a scorer would read it whole. */
export const tokensOf = (
  { prompt, completion }: { readonly prompt: string; readonly completion: string },
  tokenizer: Tokenizer,
): number => encodeExample(tokenizer, prompt, readable(tokenizer, completion)).tokens.length;

/** Text as the reward model was trained on it; what exceeds its context is cut, the end mark stays. */
export const scoredTokens = (
  items: readonly { readonly prompt: string; readonly completion: string }[],
  tokenizer: Tokenizer,
  context: number,
): PerToken<Int32Array> =>
  ragged(
    items.map(({ prompt, completion }) => {
      const { tokens } = encodeExample(tokenizer, prompt, readable(tokenizer, completion));
      return tokens.length <= context
        ? tokens
        : Int32Array.of(...tokens.subarray(0, context - 1), tokenizer.end);
    }),
    Int32Array,
  );
