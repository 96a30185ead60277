/** Measures texts in a model's tokens, without reading its weights. */
import { access } from 'node:fs/promises';
import { join } from 'node:path';
import { WhetstoneError } from '../common/errors.ts';
import type { EngineCalls, ModelPlace, TextToRead } from '../schema/messages.ts';
import { loadTokenizer } from '../text/load.ts';
import type { Tokenizer } from '../text/tokenizer.ts';
import { baseOfAdapter, isAdapterFolder } from './adapters/peft.ts';
import { resolveModelFolder } from './folder.ts';
import { fromHuggingFace } from './hugging-face.ts';
import { parseJson, readBytes } from './weights/durable.ts';

/** The context and the tokenizer of a model. Throws the errors of opening its configuration or its tokenizer. */
export const openReading = async ({
  folder,
  base,
}: ModelPlace): Promise<{ readonly context: number; readonly tokenizer: Tokenizer }> => {
  const own = await resolveModelFolder(folder);
  // an adapter keeps its configuration, and mostly its tokenizer, in the folder of its base model
  const baseFolder = (await isAdapterFolder(own))
    ? await resolveModelFolder((base ?? (await baseOfAdapter(own, []))).path)
    : own;
  const path = join(baseFolder, 'config.json');
  const { context } = fromHuggingFace(parseJson(await readBytes(path, 'config.json'), path), path);
  const hasOwn = await access(join(own, 'tokenizer.json')).then(
    () => true,
    () => false,
  );
  return { context, tokenizer: await loadTokenizer(hasOwn ? own : baseFolder) };
};

/** Throws the errors of opening the configuration or the tokenizer. */
export const measureTexts = async ({
  texts,
  ...place
}: EngineCalls['measure']['input']): Promise<EngineCalls['measure']['output']> => {
  const { context, tokenizer } = await openReading(place);
  return { context, tokens: texts.map((text) => tokensOf(tokenizer, text)) };
};

const tokensOf = (tokenizer: Tokenizer, { prompt, answer }: TextToRead): number | null => {
  try {
    const promptTokens = tokenizer.prompt?.(prompt) ?? tokenizer.encode(prompt);
    const begin = tokenizer.prompt || tokenizer.begin === null ? 0 : 1;
    return begin + promptTokens.length + tokenizer.encode(answer).length + 1;
  } catch (error) {
    if (error instanceof WhetstoneError && error.kind === 'invalid-input') return null;
    throw error;
  }
};
