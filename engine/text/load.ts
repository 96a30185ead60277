import { readFile } from 'node:fs/promises';
import { join } from 'node:path';
import { z } from 'zod';
import { WhetstoneError } from '../schema/errors.ts';
import type { TokenizerSpec } from '../schema/model.ts';
import { bpeTokenizer, trainBpe } from './bpe.ts';
import { bytesTokenizer } from './bytes.ts';
import { alphabetOf, charactersTokenizer } from './characters.ts';
import type { Tokenizer } from './tokenizer.ts';

/** A new tokenizer for a model that is about to be trained on `texts`. */
export const makeTokenizer = (spec: TokenizerSpec, texts: Iterable<string>): Tokenizer => {
  switch (spec.kind) {
    case 'characters': return charactersTokenizer(alphabetOf(texts));
    case 'bytes': return bytesTokenizer();
    case 'bpe': return trainBpe(texts, spec.vocabulary);
  }
};

const Characters = z.object({ type: z.literal('whetstone-characters'), version: z.literal(1), alphabet: z.string().min(1) });
const Bytes = z.object({ type: z.literal('whetstone-bytes'), version: z.literal(1) });

/** The tokenizer that `toJson` wrote. Throws `unsupported` for any other file. */
export const parseTokenizer = (json: unknown, where = 'tokenizer.json'): Tokenizer => {
  const characters = Characters.safeParse(json);
  if (characters.success) return charactersTokenizer(characters.data.alphabet);
  if (Bytes.safeParse(json).success) return bytesTokenizer();
  return bpeTokenizer(json, where);
};

/** The tokenizer of a checkpoint folder. Throws `not-found` without the file, `invalid-input` where it is no JSON. */
export const loadTokenizer = async (folder: string): Promise<Tokenizer> => {
  const path = join(folder, 'tokenizer.json');
  let text: string;
  try {
    text = await readFile(path, 'utf8');
  } catch (cause) {
    throw new WhetstoneError('not-found', 'This model folder has no readable tokenizer.', { where: path, hint: 'Choose a folder that holds tokenizer.json.', cause });
  }
  let json: unknown;
  try {
    json = JSON.parse(text);
  } catch (cause) {
    throw new WhetstoneError('invalid-input', `The tokenizer file is not JSON: ${cause instanceof Error ? cause.message : String(cause)}`, { where: path, cause });
  }
  return parseTokenizer(json, path);
};
