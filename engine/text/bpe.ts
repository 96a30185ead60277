import { Tokenizer as HuggingFaceTokenizer } from '@huggingface/tokenizers';
import * as z from 'zod';
import { WhetstoneError } from '../common/errors.ts';
import { splitPattern, trainMerges, type Merge } from './bpe-train.ts';
import {
  decodeBytes,
  firstOrdinary,
  specialNames,
  ownSpecials,
  specials,
  type Tokenizer,
} from './tokenizer.ts';

/**
 * GPT-2's spelling of bytes as printable characters: printable bytes stay, the rest moves to U+0100 and up.
 */
const spelling: readonly string[] = (() => {
  const prints = (byte: number) =>
    (byte >= 0x21 && byte <= 0x7e) || (byte >= 0xa1 && byte <= 0xac) || byte >= 0xae;
  let moved = 0;
  return Array.from({ length: 256 }, (_, byte) => String.fromCharCode(prints(byte) ? byte : 256 + moved++));
})();
const byteOf = new Map(spelling.map((character, byte) => [character, byte]));

/** The part of `tokenizer.json` that this loader reads. */
const File = z.looseObject({
  model: z.looseObject({
    type: z.literal('BPE'),
    vocab: z.record(z.string(), z.int().min(0)),
    merges: z.array(z.tuple([z.string(), z.string()])),
  }),
  added_tokens: z.array(z.looseObject({ id: z.int().min(0), content: z.string() })),
});
type File = z.infer<typeof File>;

const specialIds = Object.entries(specialNames).map(([name, content]) => ({
  id: specials[name as keyof typeof specials],
  content,
}));

const writeFile = (merges: readonly Merge[]): File & Record<string, unknown> => {
  const spelled = [...spelling];
  for (const [left, right] of merges) spelled.push(spelled[left] + spelled[right]);
  const split = { type: 'Split', pattern: { Regex: splitPattern }, behavior: 'Isolated', invert: false };
  const byteLevel = { type: 'ByteLevel', add_prefix_space: false, trim_offsets: false, use_regex: false };
  return {
    version: '1.0',
    truncation: null,
    padding: null,
    added_tokens: specialIds.map((token) => ({
      ...token,
      single_word: false,
      lstrip: false,
      rstrip: false,
      normalized: false,
      special: true,
    })),
    normalizer: null,
    pre_tokenizer: { type: 'Sequence', pretokenizers: [split, byteLevel] },
    post_processor: {
      type: 'TemplateProcessing',
      single: [
        { SpecialToken: { id: specialNames.begin, type_id: 0 } },
        { Sequence: { id: 'A', type_id: 0 } },
      ],
      pair: [
        { SpecialToken: { id: specialNames.begin, type_id: 0 } },
        { Sequence: { id: 'A', type_id: 0 } },
        { Sequence: { id: 'B', type_id: 0 } },
      ],
      special_tokens: {
        [specialNames.begin]: { id: specialNames.begin, ids: [specials.begin], tokens: [specialNames.begin] },
      },
    },
    decoder: { type: 'ByteLevel', add_prefix_space: true, trim_offsets: true, use_regex: true },
    model: {
      type: 'BPE',
      dropout: null,
      unk_token: null,
      continuing_subword_prefix: null,
      end_of_word_suffix: null,
      fuse_unk: false,
      byte_fallback: false,
      ignore_merges: false,
      vocab: Object.fromEntries([
        ...specialIds.map(({ id, content }) => [content, id] as const),
        ...spelled.map((text, i) => [text, i + firstOrdinary] as const),
      ]),
      merges: merges.map(([left, right]) => [spelled[left], spelled[right]]),
    },
  };
};

/**
 * Trains byte-level BPE on `texts` up to `vocabulary` ids (fewer if no pair of bytes occurs twice any more).
 */
export const trainBpe = (texts: Iterable<string>, vocabulary: number): Tokenizer => {
  if (vocabulary < 256 + firstOrdinary)
    throw new WhetstoneError(
      'invalid-input',
      `A byte-level vocabulary has at least ${256 + firstOrdinary} tokens; ${vocabulary} were asked for.`,
      { where: 'vocabulary' },
    );
  return bpeTokenizer(writeFile(trainMerges(texts, vocabulary - 256 - firstOrdinary)));
};

/** A tokenizer from the JSON of a `tokenizer.json` as `trainBpe` writes it. */
export const bpeTokenizer = (json: unknown, where = 'tokenizer.json'): Tokenizer => {
  const file = readFile(json, where);
  const bytes: (Uint8Array | undefined)[] = [];
  const special = new Set(file.added_tokens.map(({ id }) => id));
  for (const [text, id] of Object.entries(file.model.vocab))
    if (!special.has(id)) bytes[id] = spelledBytes(text, where);
  // Without `added_tokens` and `post_processor` the library neither recognizes special tokens in a text nor
  // adds any.
  const library = new HuggingFaceTokenizer({ ...file, added_tokens: [], post_processor: null }, {});
  return {
    kind: 'bpe',
    vocabulary: Object.keys(file.model.vocab).length,
    ...ownSpecials,
    encode: (text) => Int32Array.from(library.encode(text).ids),
    decode: (ids) => decodeBytes(ids, (id) => bytes[id]),
    toJson: () => file,
  };
};

/** True if a `tokenizer.json` has the special tokens of Whetstone's own tokenizers. */
export const hasOwnSpecials = (json: unknown): boolean => {
  const parsed = z.object({ added_tokens: z.array(z.unknown()) }).safeParse(json);
  return (
    parsed.success &&
    specialIds.every(({ content }) =>
      parsed.data.added_tokens.some(
        (token) =>
          typeof token === 'object' && token !== null && 'content' in token && token.content === content,
      ),
    )
  );
};

const readFile = (json: unknown, where: string): File => {
  const parsed = File.safeParse(json);
  if (!parsed.success)
    throw new WhetstoneError(
      'unsupported',
      `This tokenizer is not a byte-level BPE as it is made here: ${z.prettifyError(parsed.error)}`,
      { where },
    );
  const {
    model: { vocab },
    added_tokens: added,
  } = parsed.data;
  const ids = Object.values(vocab);
  if (new Set(ids).size !== ids.length || ids.some((id) => id >= ids.length))
    throw new WhetstoneError(
      'invalid-input',
      'The tokenizer’s ids are not 0 up to the size of its vocabulary, each once.',
      { where },
    );
  for (const { id, content } of specialIds)
    if (vocab[content] !== id || !added.some((token) => token.id === id && token.content === content))
      throw new WhetstoneError(
        'unsupported',
        `The tokenizer lacks the special token ${content} with id ${id}.`,
        { where },
      );
  const missing = spelling.findIndex((text) => vocab[text] === undefined);
  if (missing >= 0)
    throw new WhetstoneError('invalid-input', `The tokenizer has no token for byte ${missing}.`, { where });
  return parsed.data;
};

const spelledBytes = (text: string, where: string): Uint8Array =>
  Uint8Array.from(
    text,
    (character) =>
      byteOf.get(character) ??
      raise(new WhetstoneError('invalid-input', `The token “${text}” is not spelled in bytes.`, { where })),
  );
const raise = (error: WhetstoneError): never => {
  throw error;
};
