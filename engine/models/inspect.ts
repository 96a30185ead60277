/** Describes a model folder without reading its weights into memory. */
import { access } from 'node:fs/promises';
import { basename, dirname, join } from 'node:path';
import { WhetstoneError } from '../common/errors.ts';
import type { BaseRef, EngineCalls, ModelFacts, ModelFile } from '../schema/messages.ts';
import { loadTokenizer } from '../text/load.ts';
import {
  baseOfAdapter,
  headOfAdapter,
  isAdapterFolder,
  readAdapter,
  type NamedFolder,
} from './adapters/peft.ts';
import { checkBase } from './checkpoint.ts';
import { changedFolder, fingerprintOf, isSame, type Fingerprint } from './fingerprint.ts';
import { resolveModelFolder } from './folder.ts';
import { fromHuggingFace } from './hugging-face.ts';
import { checkWeights } from './model.ts';
import { parseJson, readBytes } from './weights/durable.ts';
import { openWeights, tensorsOf } from './weights/tensor-file.ts';

/**
 * Configuration, every tensor's name, type and shape, tokenizer: checked as when the model is opened. An
 * adapter is described with its base model, which may be one of `bases`. Throws the errors of opening the
 * model.
 */
export const inspectModel = async (
  folder: string,
  bases: readonly NamedFolder[] = [],
): Promise<ModelFacts> => {
  const resolved = await resolveModelFolder(folder);
  return (await isAdapterFolder(resolved))
    ? inspectAdapter(folder, resolved, bases)
    : inspectWhole(folder, resolved);
};

const configOf = async (folder: string) => {
  const path = join(folder, 'config.json');
  const json = parseJson(await readBytes(path, 'config.json'), path);
  return {
    config: fromHuggingFace(json, path),
    architecture: String((json as { readonly model_type?: unknown }).model_type),
  };
};

const hashed = async (
  folder: string,
  base: ModelFacts | null,
): Promise<Pick<ModelFacts, 'hash' | 'bytes' | 'files'>> => {
  const { hash, bytes, files } = await fingerprintOf(folder, base);
  return { hash, bytes, files };
};

const inspectWhole = async (folder: string, resolved: string): Promise<ModelFacts> => {
  const { config, architecture } = await configOf(resolved);
  const { parameters, dtypes } = await checkWeights(
    config,
    await openWeights(resolved),
    join(resolved, 'model.safetensors'),
  );
  const tokenizer = await loadTokenizer(resolved);
  const { context, vocabulary, layers, width, head } = config;
  return {
    folder: resolved,
    name: nameOf(folder, resolved),
    architecture,
    head,
    parameters,
    dtypes,
    context,
    vocabulary,
    layers,
    width,
    chat: tokenizer.template !== undefined,
    adapter: null,
    ...(await hashed(resolved, null)),
  };
};

const inspectAdapter = async (
  given: string,
  folder: string,
  bases: readonly NamedFolder[],
): Promise<ModelFacts> => {
  const base = await baseOfAdapter(folder, bases);
  await checkBase(base);
  const baseFolder = await resolveModelFolder(base.path);
  if (await isAdapterFolder(baseFolder))
    throw new WhetstoneError('unsupported', 'The model of this adapter is an adapter itself.', {
      where: folder,
      hint: 'Merge that one first.',
    });
  const facts = await inspectWhole(base.path, baseFolder);
  const { head, labels } = await headOfAdapter(folder);
  const { config } = await configOf(baseFolder);
  // small, so it is read in full: its tensors are checked against the model's shapes
  const adapter = await readAdapter(folder, { ...config, head, labels }, base);
  const weights = await tensorsOf(join(folder, 'adapter_model.safetensors'));
  const speaks = (await there(join(folder, 'tokenizer.json'))) ? folder : baseFolder;
  return {
    ...facts,
    folder,
    name: nameOf(given, folder),
    head,
    parameters: facts.parameters + adapter.parameters.size,
    dtypes: [...new Set([...weights.values()].map(({ entry }) => entry.dtype))].sort(),
    chat: (await loadTokenizer(speaks)).template !== undefined,
    adapter: {
      base: baseFolder,
      baseHash: facts.hash,
      rank: adapter.settings.rank,
      parameters: adapter.parameters.size,
    },
    ...(await hashed(folder, facts)),
  };
};

const there = (path: string): Promise<boolean> =>
  access(path).then(
    () => true,
    () => false,
  );

/**
 * The model's current files. Throws `conflict` if `hash` was not taken of them, `not-found` if one is gone.
 */
export const recheckModel = async ({
  folder,
  base,
  hash,
  files,
}: EngineCalls['recheck']['input']): Promise<readonly ModelFile[]> => {
  const currentBase = base ? await rechecked(base, files) : null;
  const now = await fingerprintOf(folder, currentBase, files);
  if (!isSame(now, hash, files)) throw changedFolder(folder);
  return now.files;
};

/** The files of an adapter's base model, checked against the hash that the adapter records. */
const rechecked = async (
  { path, hash }: BaseRef,
  files: readonly ModelFile[],
): Promise<Pick<Fingerprint, 'hash' | 'files'>> => {
  const now = await fingerprintOf(path, null, files);
  if (hash === null || !isSame(now, hash, files)) throw changedFolder(path);
  return { hash, files: now.files };
};

/**
 * A folder of the cache is named `models--owner--name`; the names of its revisions mean nothing to a person.
 */
const nameOf = (folder: string, resolved: string): string => {
  const cached = [folder, dirname(dirname(resolved))]
    .map((path) => basename(path))
    .find((name) => name.startsWith('models--'));
  return cached ? cached.slice('models--'.length).replaceAll('--', '/') : basename(resolved);
};
