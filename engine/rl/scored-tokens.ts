import { encodeExample } from '../text/spans.ts';
import type { Tokenizer } from '../text/tokenizer.ts';
import type { PerToken } from './columns.ts';
import { ragged } from './rows.ts';

/** What no tokenizer can spell stands for a special token inside an answer; the scorer reads the rest. */
export const UNSPELLABLE = /\ufffd/g;

/** Text as the reward model was trained on it; what exceeds its context is cut, the end mark stays. */
export const scoredTokens = (items: readonly { readonly prompt: string; readonly completion: string }[], tokenizer: Tokenizer, context: number): PerToken<Int32Array> =>
  ragged(items.map(({ prompt, completion }) => {
    const { tokens } = encodeExample(tokenizer, prompt, completion.replace(UNSPELLABLE, ''));
    return tokens.length <= context ? tokens : Int32Array.of(...tokens.subarray(0, context - 1), tokenizer.end);
  }), Int32Array);
