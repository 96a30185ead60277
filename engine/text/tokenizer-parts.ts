/**
 * The parts of a `tokenizer.json` that can be reproduced exactly as in Python's `tokenizers`: parts that the
 * library handles differently are rewritten for it, decoders are ours, and the remaining parts are refused
 * by name. `tests/support/oracles/tokenizer_parts.py` compares each with Python's.
 */
import * as z from 'zod';
import { WhetstoneError } from '../common/errors.ts';

const Part = z.looseObject({ type: z.string() });
type Part = z.output<typeof Part>;
const Pattern = z.union([z.object({ String: z.string() }), z.object({ Regex: z.string() })]);

/** The parts of the file read here. */
export const Parts = z.looseObject({
  normalizer: Part.nullish(),
  pre_tokenizer: Part.nullish(),
  post_processor: Part.nullish(),
  decoder: Part.nullish(),
  model: z.looseObject({
    type: z.string(),
    dropout: z.number().nullish(),
    continuing_subword_prefix: z.string().nullish(),
    end_of_word_suffix: z.string().nullish(),
    fuse_unk: z.boolean().nullish(),
    byte_fallback: z.boolean().nullish(),
    unk_token: z.string().nullish(),
  }),
  added_tokens: z
    .array(z.looseObject({ content: z.string(), single_word: z.boolean().nullish() }))
    .default([]),
});
type Parts = z.output<typeof Parts>;

const hint =
  'Choose a model with a byte-level BPE tokenizer, or one of SentencePiece’s BPE kind, in tokenizer.json.';

/** Collects all unsupported parts, so that one error names them all. */
class Refusals {
  readonly #names = new Set<string>();

  /** Records a reason; the part stays unchanged until the file is refused. */
  add(name: string): null {
    this.#names.add(name);
    return null;
  }

  throw(where: string): void {
    if (this.#names.size > 0)
      throw new WhetstoneError(
        'unsupported',
        `This tokenizer has parts that are not supported: ${[...this.#names].join(', ')}.`,
        { where, hint },
      );
  }
}

const listed = (value: unknown): Part[] => z.array(Part).catch([]).parse(value);

const normalizerOf = (part: Part, refusals: Refusals): Part | null => {
  switch (part.type) {
    case 'NFC':
    case 'NFD':
    case 'NFKC':
    case 'NFKD':
    case 'Prepend':
      return part;
    case 'Replace': {
      const pattern = Pattern.safeParse(part.pattern).data;
      const content = String(part.content ?? '');
      // the library takes $ for a reference to the match
      return pattern && 'String' in pattern && !content.includes('$')
        ? part
        : refusals.add('the normalizer Replace with a regular expression');
    }
    case 'Sequence':
      return { ...part, normalizers: listed(part.normalizers).map((one) => normalizerOf(one, refusals)) };
    default:
      return refusals.add(`the normalizer ${part.type}`);
  }
};

const split = (regex: string, kept: 'all' | 'matches'): Part => ({
  type: 'Split',
  pattern: { Regex: regex },
  behavior: kept === 'all' ? 'Isolated' : 'Removed',
  invert: kept === 'matches',
});

/** Word characters of Rust's regular expressions: they include joiners, which the library's pattern lacks. */
const words =
  '[\\p{Alphabetic}\\p{M}\\p{Nd}\\p{Pc}\\u200c\\u200d]+|[^\\p{Alphabetic}\\p{M}\\p{Nd}\\p{Pc}\\u200c\\u200d\\p{White_Space}]+';
const punctuation = '[\\p{P}\\x21-\\x2f\\x3a-\\x40\\x5b-\\x60\\x7b-\\x7e]';
/** GPT-2's split; the library's own treats U+FEFF as white space, and U+0085 not. */
const gpt2Split = "'s|'t|'re|'ve|'m|'ll|'d| ?\\p{L}+| ?\\p{N}+| ?[^\\s\\p{L}\\p{N}]+|\\s+(?!\\S)|\\s+";

const byteLevel = (part: Part, refusals: Refusals): Part | null => {
  if (part.use_regex === false) return part;
  if (part.add_prefix_space === true)
    return refusals.add('the pre-tokenizer ByteLevel that puts a space before a text and splits it');
  return {
    type: 'Sequence',
    pretokenizers: [split(gpt2Split, 'all'), { ...part, add_prefix_space: false, use_regex: false }],
  };
};

const splitOf = (part: Part, refusals: Refusals): Part | null => {
  const behavior = String(part.behavior ?? '').toLowerCase();
  const invert = part.invert === true;
  const pattern = Pattern.safeParse(part.pattern).data;
  if (!pattern) return refusals.add('the pre-tokenizer Split without a pattern');
  if (behavior === 'isolated' && !invert) return part;
  const captures = 'Regex' in pattern && /\((?!\?)/.test(pattern.Regex.replace(/\\./g, ''));
  if (behavior === 'removed' && (invert || ('Regex' in pattern && !captures))) return part;
  return refusals.add(
    `the pre-tokenizer Split with the behavior ${String(part.behavior)}${invert ? ', inverted' : ''}`,
  );
};

const metaspaceOf = (part: Part, refusals: Refusals): Part | null => {
  if (part.split !== false) return refusals.add('the pre-tokenizer Metaspace that splits words');
  const scheme = part.prepend_scheme ?? (part.add_prefix_space === false ? 'never' : 'always');
  return { ...part, prepend_scheme: scheme };
};

const preTokenizerOf = (part: Part, refusals: Refusals): Part | null => {
  switch (part.type) {
    case 'ByteLevel':
      return byteLevel(part, refusals);
    case 'Split':
      return splitOf(part, refusals);
    case 'Metaspace':
      return metaspaceOf(part, refusals);
    case 'Whitespace':
      return split(words, 'matches');
    case 'WhitespaceSplit':
      return split('\\S+', 'matches');
    case 'Digits':
      return split(part.individual_digits === true ? '\\p{N}' : '\\p{N}+', 'all');
    case 'Punctuation': {
      const behavior = String(part.behavior ?? 'Isolated').toLowerCase();
      if (behavior === 'isolated') return split(punctuation, 'all');
      return behavior === 'contiguous'
        ? split(`${punctuation}+`, 'all')
        : refusals.add(`the pre-tokenizer Punctuation with the behavior ${behavior}`);
    }
    case 'Sequence':
      return {
        ...part,
        pretokenizers: listed(part.pretokenizers).map((one) => preTokenizerOf(one, refusals)),
      };
    default:
      return refusals.add(`the pre-tokenizer ${part.type}`);
  }
};

const postProcessors = ['TemplateProcessing', 'ByteLevel', 'BertProcessing', 'RobertaProcessing'];
const checkPostProcessor = (part: Part, refusals: Refusals): void => {
  if (part.type === 'Sequence') listed(part.processors).forEach((one) => checkPostProcessor(one, refusals));
  else if (!postProcessors.includes(part.type)) refusals.add(`the post-processor ${part.type}`);
};

const checkModel = (
  { model, pre_tokenizer: before, added_tokens: added }: Parts,
  refusals: Refusals,
): void => {
  if (model.dropout != null && model.dropout !== 0) refusals.add('dropout of merges');
  if (model.continuing_subword_prefix) refusals.add('continuing_subword_prefix');
  if (model.end_of_word_suffix) refusals.add('end_of_word_suffix');
  // the library fuses unknown characters across pre-tokenizer pieces
  if (model.fuse_unk === true && model.byte_fallback !== true && before && before.type !== 'Metaspace')
    refusals.add('fuse_unk behind a pre-tokenizer');
  // such characters are dropped, and the library does so after its merges, not before
  if (
    model.byte_fallback !== true &&
    model.unk_token == null &&
    !(before && JSON.stringify(before).includes('"ByteLevel"'))
  )
    refusals.add('a vocabulary without a token for unknown characters');
  for (const { content, single_word: single } of added)
    if (single === true)
      refusals.add(`the added token ${content} that must be a word of its own (single_word)`);
};

/** Checks the model's kind first: other kinds store their vocabulary differently. */
export const checkKind = (json: unknown, where: string): void => {
  const found = z.looseObject({ model: z.looseObject({ type: z.string() }) }).safeParse(json);
  if (found.success && found.data.model.type !== 'BPE')
    throw new WhetstoneError(
      'unsupported',
      `This is a ${found.data.model.type} tokenizer, which is not supported; only BPE is.`,
      { where, hint },
    );
};

/** The file rewritten for the library. Throws `unsupported` with the name of every unsupported part. */
export const readable = <F extends object>(
  file: F,
  parts: Parts,
  where: string,
): F & { readonly decoder: null } => {
  const refusals = new Refusals();
  const { normalizer, pre_tokenizer: before, post_processor: after, decoder } = parts;
  checkModel(parts, refusals);
  if (after) checkPostProcessor(after, refusals);
  if (decoder) decoderOf(decoder, refusals);
  const written = {
    ...file,
    normalizer: normalizer ? normalizerOf(normalizer, refusals) : null,
    pre_tokenizer: before ? preTokenizerOf(before, refusals) : null,
    decoder: null,
  };
  refusals.throw(where);
  return written;
};

/** Turns token spellings into parts of the text. */
type Decoder = (tokens: readonly string[]) => readonly string[];

/** Inverse of GPT-2's spelling of bytes as printable characters. */
const byteOf: ReadonlyMap<string, number> = (() => {
  const prints = (byte: number) =>
    (byte >= 0x21 && byte <= 0x7e) || (byte >= 0xa1 && byte <= 0xac) || byte >= 0xae;
  let moved = 0;
  return new Map(
    Array.from({ length: 256 }, (_, byte) => [
      String.fromCharCode(prints(byte) ? byte : 256 + moved++),
      byte,
    ]),
  );
})();
const utf8 = new TextDecoder('utf-8', { ignoreBOM: true });
const strict = new TextDecoder('utf-8', { ignoreBOM: true, fatal: true });

const fromByteLevel: Decoder = (tokens) => {
  const bytes = tokens.flatMap((token) => {
    const spelled = [...token].map((c) => byteOf.get(c));
    return spelled.every((byte) => byte !== undefined) ? spelled : [...new TextEncoder().encode(token)];
  });
  return [utf8.decode(Uint8Array.from(bytes))];
};

/** Decodes adjacent bytes as UTF-8, or as one U+FFFD per byte if they are invalid. */
const textOfBytes = (bytes: readonly number[]): string => {
  try {
    return strict.decode(Uint8Array.from(bytes));
  } catch {
    return '\ufffd'.repeat(bytes.length);
  }
};

const fromBytes: Decoder = (tokens) => {
  const parts: string[] = [];
  let bytes: number[] = [];
  for (const token of [...tokens, '']) {
    const byte = /^<0x[0-9A-Fa-f]{2}>$/.test(token) ? Number.parseInt(token.slice(3, 5), 16) : null;
    if (byte !== null) {
      bytes.push(byte);
      continue;
    }
    if (bytes.length > 0) parts.push(textOfBytes(bytes));
    bytes = [];
    parts.push(token);
  }
  return parts;
};

const stripped = (token: string, content: string, start: number, stop: number): string => {
  let [from, to] = [0, token.length];
  while (from < start && token[from] === content) from++;
  while (to > from && token.length - to < stop && token[to - 1] === content) to--;
  return token.slice(from, to);
};

const decoderOf = (part: Part, refusals: Refusals): Decoder | null => {
  switch (part.type) {
    case 'ByteLevel':
      return fromByteLevel;
    case 'ByteFallback':
      return fromBytes;
    case 'Fuse':
      return (tokens) => [tokens.join('')];
    case 'Strip':
      return (tokens) =>
        tokens.map((token) =>
          stripped(token, String(part.content), Number(part.start ?? 0), Number(part.stop ?? 0)),
        );
    case 'Replace': {
      const pattern = Pattern.safeParse(part.pattern).data;
      const content = String(part.content ?? '');
      return pattern && 'String' in pattern
        ? (tokens) => tokens.map((token) => token.split(pattern.String).join(content))
        : refusals.add('the decoder Replace with a regular expression');
    }
    case 'Metaspace': {
      const mark = String(part.replacement ?? '▁');
      const never =
        (part.prepend_scheme ?? (part.add_prefix_space === false ? 'never' : 'always')) === 'never';
      return (tokens) => tokens.map((token, at) => token.split(mark).join(at === 0 && !never ? '' : ' '));
    }
    case 'Sequence': {
      const steps = listed(part.decoders).map((one) => decoderOf(one, refusals));
      return (tokens) => steps.reduce((parts, step) => step?.(parts) ?? parts, tokens);
    }
    default:
      return refusals.add(`the decoder ${part.type}`);
  }
};

/** A decoder from token spellings to text. */
export const decoderFor = (parts: Parts): ((tokens: readonly string[]) => string) => {
  const decode = parts.decoder ? decoderOf(parts.decoder, new Refusals()) : null;
  return (tokens) => (decode ? decode(tokens).join('') : tokens.join(' '));
};
