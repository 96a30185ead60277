/** The tokenizer interface, and the rules for begin, end and pad. */
import type { ChatTemplate } from './chat-template.ts';

/**
 * Ids of the special tokens, the same in every tokenizer made here. Ordinary tokens start at
 * `firstOrdinary`.
 */
export const specials = { pad: 0, begin: 1, end: 2 } as const;
/** The same, with the fields of `Tokenizer`. */
export const ownSpecials = { ...specials, ends: [specials.end] } as const;
export const firstOrdinary = 3;

/** Spellings of the special tokens for file formats. Text that contains a spelling is still ordinary text. */
export const specialNames = { pad: '<|pad|>', begin: '<|begin|>', end: '<|end|>' } as const;

/**
 * Text to tokens and back. `encode` adds no special token and recognizes none in the text, so that text
 * cannot forge one.
 *
 * A sequence is `begin` (if the tokenizer has one), prompt, answer, `end`. `end` is trained and sampled like
 * any token; `begin` is never predicted; `pad` only follows the end of a shorter row of a batch, and no loss
 * or score reads it.
 */
export interface Tokenizer {
  readonly kind: 'characters' | 'bytes' | 'bpe' | 'hugging-face' | 'actions';
  /** Vocabulary size, special tokens included. */
  readonly vocabulary: number;
  readonly pad: number;
  /** Put before every text; null if the model was trained without one. */
  readonly begin: number | null;
  /** Ends an answer. */
  readonly end: number;
  /** Every token that ends a sampled answer, `end` among them. */
  readonly ends: readonly number[];
  /** Ids of the text alone. Throws `invalid-input` for characters outside the vocabulary. */
  encode(text: string): Int32Array;
  /** True if a character can be encoded; absent if all can. */
  spells?(character: string): boolean;
  /** `encode` that recognizes spellings of special tokens, for text written by a chat template. */
  encodeSpecial?(text: string): Int32Array;
  /** A prompt in the model's own format, special tokens included; if absent, `begin` and the text. */
  prompt?(text: string): Int32Array;
  readonly template?: ChatTemplate;
  /**
   * The text of some ids. A leading `begin` and trailing `end` and `pad` are dropped; a special token
   * anywhere else is shown as U+FFFD, so that a verifier never accepts a malformed answer as a clean one.
   */
  decode(ids: ArrayLike<number>): string;
  /** Inverse of `parseTokenizer`; stored as `tokenizer.json` next to the weights. */
  toJson(): unknown;
  /** The original files of a loaded tokenizer by name; they are copied unchanged. */
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

/** Text of the tokens' bytes; invalid UTF-8 and special tokens become U+FFFD. */
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
