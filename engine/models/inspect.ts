/** What a model folder holds, without reading its weights into memory. */
import { createHash } from 'node:crypto';
import { basename, dirname, join } from 'node:path';
import type { ModelFacts } from '../schema/messages.ts';
import { tokenizerFiles } from '../text/hugging-face.ts';
import { loadTokenizer } from '../text/load.ts';
import { resolveModelFolder } from './folder.ts';
import { fromHuggingFace } from './hugging-face.ts';
import { checkWeights } from './model.ts';
import { factsOf, parseJson, readBytes } from './weights/durable.ts';
import { openWeights } from './weights/tensor-file.ts';
import { access } from 'node:fs/promises';

/**
 * Configuration, every tensor's name, type and shape, tokenizer: checked as they are when the model is opened. The hash is over the contents of the
 * files that make the model: SHA-256 over one line `sha256 bytes name` for each, sorted by name. Throws what opening the model would throw.
 */
export const inspectModel = async (folder: string): Promise<ModelFacts> => {
  const resolved = await resolveModelFolder(folder), path = join(resolved, 'config.json');
  const json = parseJson(await readBytes(path, 'config.json'), path) as { readonly model_type?: unknown };
  const config = fromHuggingFace(json, path), weights = await openWeights(resolved);
  const { parameters, dtypes } = checkWeights(config, weights, join(resolved, 'model.safetensors'));
  const tokenizer = await loadTokenizer(resolved);
  const names = ['config.json', ...new Set([...weights.values()].map((tensor) => basename(tensor.path))), ...tokenizerFiles];
  const files = (await Promise.all(names.map(async (name) => ({ name, there: await access(join(resolved, name)).then(() => true, () => false) })))).filter(({ there }) => there);
  const lines: string[] = [];
  let bytes = 0;
  for (const { name } of files.sort((a, b) => (a.name < b.name ? -1 : 1))) {
    const facts = await factsOf(join(resolved, name), name);
    lines.push(`${facts.sha256} ${facts.bytes} ${name}\n`);
    bytes += facts.bytes;
  }
  const { context, vocabulary, layers, width, head } = config;
  return {
    folder: resolved, name: nameOf(folder, resolved), architecture: String(json.model_type), head, parameters, dtypes, bytes, context, vocabulary, layers, width,
    hash: createHash('sha256').update(lines.join('')).digest('hex'), chat: tokenizer.template !== undefined,
  };
};

/** A folder of the cache is named `models--owner--name`; its revisions have names that say nothing. */
const nameOf = (folder: string, resolved: string): string => {
  const cached = [folder, dirname(dirname(resolved))].map((path) => basename(path)).find((name) => name.startsWith('models--'));
  return cached ? cached.slice('models--'.length).replaceAll('--', '/') : basename(resolved);
};
