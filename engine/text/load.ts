import { readFile } from 'node:fs/promises';
import { join } from 'node:path';
import * as z from 'zod';
import { WhetstoneError } from '../common/errors.ts';
import type { PutPrompts } from '../schema/model.ts';
import type { TokenizerSpec } from '../schema/model.ts';
import { actionsTokenizer } from './actions.ts';
import { bpeTokenizer, hasOwnSpecials, trainBpe } from './bpe.ts';
import { bytesTokenizer } from './bytes.ts';
import { alphabetOf, charactersTokenizer } from './characters.ts';
import { huggingFaceTokenizer, tokenizerFiles, type TokenizerFile } from './hugging-face.ts';
import type { Tokenizer } from './tokenizer.ts';

/**
 * A new tokenizer for a model to be trained from scratch: it can encode `texts`, and learns merges from
 * `trainingTexts` alone.
 */
export const makeTokenizer = (
  spec: TokenizerSpec,
  texts: Iterable<string>,
  trainingTexts = texts,
): Tokenizer => {
  switch (spec.kind) {
    case 'characters':
      return charactersTokenizer(alphabetOf(texts));
    case 'bytes':
      return bytesTokenizer();
    case 'bpe':
      return trainBpe(trainingTexts, spec.vocabulary);
  }
};

const Characters = z.object({
  type: z.literal('whetstone-characters'),
  version: z.literal(1),
  alphabet: z.string().min(1),
});
const Actions = z.object({
  type: z.literal('whetstone-actions'),
  version: z.literal(1),
  names: z.array(z.string()).min(1),
});
const Bytes = z.object({ type: z.literal('whetstone-bytes'), version: z.literal(1) });

/** The tokenizer written by `toJson`, or undefined for a file of other tools. */
const ownTokenizer = (json: unknown, where: string): Tokenizer | undefined => {
  const characters = Characters.safeParse(json);
  if (characters.success) return charactersTokenizer(characters.data.alphabet);
  const actions = Actions.safeParse(json);
  if (actions.success) return actionsTokenizer(actions.data.names);
  if (Bytes.safeParse(json).success) return bytesTokenizer();
  return hasOwnSpecials(json) ? bpeTokenizer(json, where) : undefined;
};

/** Reads a tokenizer written by `toJson`. Throws `unsupported` for any other file. */
export const parseTokenizer = (json: unknown, where = 'tokenizer.json'): Tokenizer =>
  ownTokenizer(json, where) ?? bpeTokenizer(json, where);

/**
 * Loads the tokenizer of a model folder, our own or a third party's; `prompts` overrides the prompt format
 * of the latter. Throws `not-found` without `tokenizer.json`, `invalid-input` if it is not JSON,
 * `unsupported` for a kind that cannot be loaded.
 */
export const loadTokenizer = async (folder: string, prompts?: PutPrompts): Promise<Tokenizer> => {
  const path = join(folder, 'tokenizer.json');
  const files = new Map<string, Uint8Array>();
  for (const name of [...tokenizerFiles, 'config.json'] as const) {
    const bytes = await readFile(join(folder, name)).catch((cause: unknown) =>
      absent(cause, name, join(folder, name)),
    );
    if (bytes) files.set(name, bytes);
  }
  const text = new TextDecoder().decode(files.get('tokenizer.json'));
  let json: unknown;
  try {
    json = JSON.parse(text);
  } catch (cause) {
    throw new WhetstoneError(
      'invalid-input',
      `The tokenizer file is not JSON: ${cause instanceof Error ? cause.message : String(cause)}`,
      { where: path, cause },
    );
  }
  return ownTokenizer(json, path) ?? huggingFaceTokenizer(files, path, prompts);
};

/** True if a missing file is acceptable; only `tokenizer.json` is required. */
const absent = (cause: unknown, name: TokenizerFile | 'config.json', path: string): undefined => {
  if (name !== 'tokenizer.json' && cause instanceof Error && 'code' in cause && cause.code === 'ENOENT')
    return undefined;
  throw new WhetstoneError('not-found', `This model folder has no readable ${name}.`, {
    where: path,
    hint: 'Choose a folder that holds tokenizer.json.',
    cause,
  });
};
