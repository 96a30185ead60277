/**
 * Tokenizers of model folders: `tokenizer.json` and its companion files, as written by Hugging Face's tools.
 */
import { Tokenizer as Library } from '@huggingface/tokenizers';
import * as z from 'zod';
import { WhetstoneError } from '../common/errors.ts';
import { chatTemplate, type ChatTemplate } from './chat-template.ts';
import { PutPrompts } from '../schema/model.ts';
import { checkKind, decoderFor, Parts as FileParts, readable } from './tokenizer-parts.ts';
import type { Tokenizer } from './tokenizer.ts';

/** Files of a tokenizer; the first is required. The last records how a run formatted its prompts. */
export const tokenizerFiles = [
  'tokenizer.json',
  'tokenizer_config.json',
  'special_tokens_map.json',
  'added_tokens.json',
  'chat_template.jinja',
  'generation_config.json',
  'vocab.json',
  'merges.txt',
  'tokenizer.model',
  'prompts.json',
] as const;
export type TokenizerFile = (typeof tokenizerFiles)[number];
export type TokenizerFiles = ReadonlyMap<string, Uint8Array>;

const Added = z.looseObject({
  id: z.int().min(0),
  content: z.string(),
  special: z.boolean().default(false),
  normalized: z.boolean().optional(),
});
/** The part of `tokenizer.json` read here; the library reads the rest. */
const File = z.looseObject({
  model: z.looseObject({ type: z.string(), vocab: z.record(z.string(), z.int().min(0)) }),
  added_tokens: z.array(Added).default([]),
});
type File = z.output<typeof File>;

const Named = z
  .union([z.string(), z.looseObject({ content: z.string() }).transform(({ content }) => content)])
  .nullish();
const Config = z.looseObject({
  bos_token: Named,
  eos_token: Named,
  pad_token: Named,
  unk_token: Named,
  chat_template: z
    .union([z.string(), z.array(z.looseObject({ name: z.string(), template: z.string() }))])
    .nullish(),
});
const Generation = z.looseObject({ eos_token_id: z.union([z.int(), z.array(z.int())]).nullish() });

const refuse = (where: string, message: string): never => {
  throw new WhetstoneError('unsupported', message, {
    where,
    hint: 'Choose a model with a BPE tokenizer in tokenizer.json.',
  });
};

const parse = <S extends z.ZodType>(schema: S, json: unknown, where: string): z.output<S> => {
  const result = schema.safeParse(json);
  if (!result.success)
    throw new WhetstoneError(
      'invalid-input',
      `The tokenizer’s file is not complete: ${z.prettifyError(result.error)}`,
      { where },
    );
  return result.data;
};

/** A JSON file of a folder, as an object; empty where there is none. */
const json = (files: TokenizerFiles, name: TokenizerFile | 'config.json', where: string): object => {
  const bytes = files.get(name);
  if (!bytes) return {};
  try {
    return Object(JSON.parse(new TextDecoder('utf-8', { fatal: true }).decode(bytes))) as object;
  } catch (cause) {
    throw new WhetstoneError(
      'invalid-input',
      `The file ${name} is not JSON: ${cause instanceof Error ? cause.message : String(cause)}`,
      { where, cause },
    );
  }
};

/** Builds the library's tokenizer and reports its complaints about parts of the file that only it reads. */
const library = (file: object, where: string): Library => {
  try {
    // Python-style tokenizers read nothing from tokenizer_config.json that changes tokens
    return new Library(file, {});
  } catch (cause) {
    return refuse(
      where,
      `This tokenizer cannot be built: ${cause instanceof Error ? cause.message : String(cause)}`,
    );
  }
};

interface Parts {
  readonly file: File;
  readonly config: z.output<typeof Config>;
  readonly ends: readonly number[];
  readonly idOf: (token: string | null | undefined) => number | null;
}

const partsOf = (files: TokenizerFiles, where: string): Parts => {
  const written = json(files, 'tokenizer.json', where);
  checkKind(written, where);
  const file = parse(File, written, where);
  // older folders name their special tokens in a file of their own
  const config = parse(
    Config,
    { ...json(files, 'special_tokens_map.json', where), ...json(files, 'tokenizer_config.json', where) },
    where,
  );
  const endsOf = (name: 'generation_config.json' | 'config.json') =>
    [parse(Generation, json(files, name, where), where).eos_token_id ?? []].flat();
  const added = new Map(file.added_tokens.map(({ content, id }) => [content, id]));
  const idOf = (token: string | null | undefined) =>
    token == null
      ? null
      : (added.get(token) ?? (Object.hasOwn(file.model.vocab, token) ? file.model.vocab[token] : null));
  const named = [
    ...new Set([idOf(config.eos_token), ...endsOf('generation_config.json')].filter((id) => id !== null)),
  ];
  return { file, config, idOf, ends: named.length > 0 ? named : endsOf('config.json') };
};

/** The template of a folder: a file of its own, or a setting; with several, the one named `default`. */
const templateOf = (files: TokenizerFiles, { config }: Parts, where: string): ChatTemplate | undefined => {
  const { chat_template: setting, bos_token, eos_token, pad_token, unk_token } = config;
  const bytes = files.get('chat_template.jinja');
  const source = bytes
    ? new TextDecoder().decode(bytes)
    : typeof setting === 'string'
      ? setting
      : (setting?.find(({ name }) => name === 'default') ?? setting?.[0])?.template;
  const specials = Object.fromEntries(
    Object.entries({ bos_token, eos_token, pad_token, unk_token }).filter(([, token]) => token != null),
  );
  return source === undefined ? undefined : chatTemplate(source, specials, where);
};

/** The prompt format: the caller's, else the folder's. */
const promptsOf = (files: TokenizerFiles, chosen: PutPrompts | undefined, where: string): PutPrompts =>
  chosen ??
  parse(z.looseObject({ prompts: PutPrompts.default('auto') }), json(files, 'prompts.json', where), where)
    .prompts;

/**
 * A tokenizer from the files of a model folder. Text that contains the spelling of a special token is
 * ordinary text, except in a chat template, which writes them. Throws `unsupported` for a tokenizer that is
 * not BPE or has no end token, `invalid-input` for broken files, `unsupported` for chat prompts with a model
 * without a template.
 */
export const huggingFaceTokenizer = (
  files: TokenizerFiles,
  where: string,
  putPrompts?: PutPrompts,
): Tokenizer => {
  const parts = partsOf(files, where);
  const { file, config, ends, idOf } = parts;
  const special = new Set(file.added_tokens.filter((token) => token.special).map(({ id }) => id));
  const described = parse(FileParts, file, where);
  const read = readable(file, described, where);
  const decode = decoderFor(described);
  const whole = library(read, where);
  const ordinary = library(
    { ...read, added_tokens: read.added_tokens.filter((token) => !token.special), post_processor: null },
    where,
  );
  const [end] = ends;
  if (end === undefined) return refuse(where, 'This tokenizer names no token that ends a text.');
  const bos = idOf(config.bos_token);
  const begin = bos !== null && beginsWith(whole, bos) ? bos : null;
  const pad = idOf(config.pad_token) ?? end;
  const template = templateOf(files, parts, where);
  const prompts = promptsOf(files, putPrompts, where);
  if (prompts === 'chat' && !template)
    throw new WhetstoneError('unsupported', 'This model has no chat template.', {
      where,
      hint: 'Put prompts as they are.',
    });
  const encodeSpecial = (text: string) =>
    Int32Array.from(whole.encode(text, { add_special_tokens: false }).ids);
  return {
    kind: 'hugging-face',
    vocabulary:
      [...Object.values(file.model.vocab), ...file.added_tokens.map(({ id }) => id)].reduce(
        (most, id) => Math.max(most, id),
        0,
      ) + 1,
    pad,
    begin,
    end,
    ends,
    encode: (text) => Int32Array.from(ordinary.encode(text, { add_special_tokens: false }).ids),
    encodeSpecial,
    decode: (ids) => decoded(spellings(whole, file), decode, special, Array.from(ids), { begin, ends, pad }),
    ...(template && { template }),
    ...(template &&
      prompts !== 'plain' && {
        prompt: (text: string) =>
          encodeSpecial(template.render([{ role: 'user', content: text }], { reply: true })),
      }),
    toJson: () => file,
    files:
      putPrompts === undefined
        ? files
        : new Map([
            ...files,
            ['prompts.json', new TextEncoder().encode(`${JSON.stringify({ prompts: putPrompts })}\n`)],
          ]),
  };
};

/**
 * The spelling of each token for decoding; added tokens that are matched in normalized text are normalized.
 */
const spellings = (whole: Library, { added_tokens: added }: File): ((id: number) => string | undefined) => {
  const { normalizer } = whole;
  const normalized = new Map(
    added
      .filter((token) => token.normalized ?? !token.special)
      .map(({ id, content }) => [id, normalizer?.normalize(content) ?? content]),
  );
  return (id) => normalized.get(id) ?? whole.id_to_token(id);
};

/** True if the post-processor puts this token before a text. */
const beginsWith = (whole: Library, bos: number): boolean =>
  whole.encode('a').ids[0] === bos && whole.encode('a', { add_special_tokens: false }).ids[0] !== bos;

/**
 * Leading begin, trailing end and pad tokens are dropped; every other special or invalid token is shown as
 * U+FFFD.
 */
const decoded = (
  spelling: (id: number) => string | undefined,
  decode: (tokens: readonly string[]) => string,
  special: ReadonlySet<number>,
  ids: number[],
  { begin, ends, pad }: Pick<Tokenizer, 'begin' | 'ends' | 'pad'>,
): string => {
  let to = ids.length;
  let from = 0;
  while (to > 0 && ids[to - 1] === pad && !ends.includes(pad)) to--;
  if (to > 0 && ends.includes(ids[to - 1])) to--;
  if (from < to && ids[from] === begin) from++;
  let text = '';
  for (let at = from; at < to;) {
    const shown = (id: number) => !special.has(id) && spelling(id) !== undefined;
    let next = at;
    while (next < to && shown(ids[next])) next++;
    if (next > at) text += decode(ids.slice(at, next).map((id) => spelling(id)!));
    if (next < to) text += '\ufffd';
    at = next + 1;
  }
  return text;
};
