import { decodeBytes, firstOrdinary, ownSpecials, type Tokenizer } from './tokenizer.ts';

const encoder = new TextEncoder();
const single = Array.from({ length: 256 }, (_, byte) => Uint8Array.of(byte));

/** One token per byte of UTF-8: encodes every text, needs no training. A lone surrogate becomes U+FFFD. */
export const bytesTokenizer = (): Tokenizer => ({
  kind: 'bytes',
  vocabulary: 256 + firstOrdinary,
  ...ownSpecials,
  encode: (text) => Int32Array.from(encoder.encode(text), (byte) => byte + firstOrdinary),
  decode: (ids) => decodeBytes(ids, (id) => single[id - firstOrdinary]),
  toJson: () => ({ type: 'whetstone-bytes', version: 1 }),
});
