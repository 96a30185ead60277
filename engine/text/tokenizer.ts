/** What every tokenizer is, and the one rule for begin, end and pad. */
import type { ChatTemplate } from './chat-template.ts';

/**
 * Ids of the special tokens, the same in every tokenizer that is made here. Ordinary tokens start at
 * `firstOrdinary`.
 */
export const specials = { pad: 0, begin: 1, end: 2 } as const;
/** The same, as tokenizers carry them. */
export const ownSpecials = { ...specials, ends: [specials.end] } as const;
export const firstOrdinary = 3;

/**
 * Names of the special tokens where a file format wants a spelling. Text that contains a spelling is still
 * ordinary text.
 */
export const specialNames = { pad: '<|pad|>', begin: '<|begin|>', end: '<|end|>' } as const;

/**
 * Text to tokens and back. `encode` adds no special token and recognizes none in the text, so nobody can
 * write one.
 *
 * The rule: a sequence is `begin` (where the tokenizer has one), prompt, answer, `end`. `end` is trained and
 * sampled like any token; `begin` is never predicted; `pad` stands only behind the end of a shorter row of a
 * batch, and no loss or score reads it.
 */
export interface Tokenizer {
  readonly kind: 'characters' | 'bytes' | 'bpe' | 'hugging-face';
  /** Number of ids, special tokens included. */
  readonly vocabulary: number;
  readonly pad: number;
  /** Stands before every text; null where the model was trained without. */
  readonly begin: number | null;
  /** Stands behind an answer. */
  readonly end: number;
  /** Every token that ends an answer when it is sampled, `end` among them. */
  readonly ends: readonly number[];
  /**
   * Ids of the text alone. Throws `invalid-input` where the text cannot be spelled (an unknown character).
   */
  encode(text: string): Int32Array;
  /** Whether a character can be spelled; absent where each can. */
  spells?(character: string): boolean;
  /** `encode` where spellings of special tokens stand for them: for text that a chat template wrote. */
  encodeSpecial?(text: string): Int32Array;
  /** A prompt as the model wants it put, special tokens included; without, it is `begin` and the text. */
  prompt?(text: string): Int32Array;
  readonly template?: ChatTemplate;
  /**
   * The text of some ids. A leading `begin` and trailing `end` and `pad` are silent; a special token anywhere
   * else is shown as U+FFFD, so that a verifier never takes a malformed answer for a clean one.
   */
  decode(ids: ArrayLike<number>): string;
  /** What `parseTokenizer` reads back; stored as `tokenizer.json` beside the weights. */
  toJson(): unknown;
  /** Of a loaded tokenizer, its own files by name: they are passed on as they are. */
  readonly files?: ReadonlyMap<string, Uint8Array>;
}

/** The ids between a leading `begin` and the trailing `end` and `pad`. */
export const inner = (ids: ArrayLike<number>): number[] => {
  let start = 0;
  let end = ids.length;
  while (end > start && ids[end - 1] === specials.pad) end--;
  if (end > start && ids[end - 1] === specials.end) end--;
  if (start < end && ids[start] === specials.begin) start++;
  return Array.from({ length: end - start }, (_, i) => ids[start + i]);
};

const decoder = new TextDecoder('utf-8', { ignoreBOM: true });

/** Text of the tokens' bytes; what is no valid UTF-8, and every special token, becomes U+FFFD. */
export const decodeBytes = (
  ids: ArrayLike<number>,
  bytesOf: (id: number) => Uint8Array | undefined,
): string => {
  const parts: Uint8Array[] = inner(ids).map((id) => bytesOf(id) ?? replacement);
  const bytes = new Uint8Array(parts.reduce((length, part) => length + part.length, 0));
  let at = 0;
  for (const part of parts) {
    bytes.set(part, at);
    at += part.length;
  }
  return decoder.decode(bytes);
};
const replacement = new TextEncoder().encode('\ufffd');
