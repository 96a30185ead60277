/** Reads model folders in Hugging Face's layout: configuration, weights, tokenizer. */
import { readdir, readFile, stat } from 'node:fs/promises';
import { join } from 'node:path';
import type { BaseFormat } from '../schema/adapter.ts';
import { WhetstoneError } from '../common/errors.ts';
import { fromHuggingFace } from './hugging-face.ts';
import {
  baseOfAdapter,
  formatOfAdapter,
  headOfAdapter,
  isAdapterFolder,
  readAdapter,
} from './adapters/peft.ts';
import { baseFor, modelFromWeights, type Model } from './model.ts';
import type { BaseRef } from '../schema/messages.ts';
import { parseJson, readBytes } from './weights/durable.ts';
import { openWeights } from './weights/tensor-file.ts';

const there = (path: string): Promise<boolean> =>
  stat(path).then(
    () => true,
    () => false,
  );

/**
 * The folder that holds `config.json`. A model's folder of the Hugging Face cache (`models--…`) has one
 * folder per revision, with links to its files; this picks the one that `main` names, or the only one.
 * Throws `not-found` if there is none.
 */
export const resolveModelFolder = async (folder: string): Promise<string> => {
  const snapshots = join(folder, 'snapshots');
  if ((await there(join(folder, 'config.json'))) || !(await there(snapshots))) return folder;
  const revisions = await readdir(snapshots);
  const main = await readFile(join(folder, 'refs', 'main'), 'utf8').then(
    (text) => text.trim(),
    () => undefined,
  );
  const chosen =
    revisions.find((name) => name === main) ?? (revisions.length === 1 ? revisions[0] : undefined);
  if (chosen !== undefined) return join(snapshots, chosen);
  throw new WhetstoneError(
    'not-found',
    `This folder of the cache holds ${revisions.length} revisions, and none is its main one.`,
    { where: folder, hint: 'Choose one of the folders in snapshots.' },
  );
};

/** Reads a whole model, in float32 by default. */
export type ReadWhole = (folder: string, format?: BaseFormat) => Promise<Model>;

/**
 * Reads the model of another tool's folder, which has no manifest to check. `format` is the quantization of
 * its matrices: float32 by default, and for an adapter's base as in training; `read` reads whole models.
 * Throws the errors for broken or unsupported configurations and weight files.
 */
export const readModelFolder = async (
  folder: string,
  format?: BaseFormat,
  base?: BaseRef,
  read = readWhole,
): Promise<Model> =>
  (await isAdapterFolder(folder))
    ? readAdapterFolder(folder, { format, given: base, read })
    : read(folder, format);

export const readWhole: ReadWhole = async (folder, format) => {
  const path = join(folder, 'config.json');
  const bytes = await readBytes(path, 'config.json');
  const config = fromHuggingFace(parseJson(bytes, path), path);
  return modelFromWeights(config, new TextDecoder().decode(bytes), await openWeights(folder), {
    where: join(folder, 'model.safetensors'),
    format,
  });
};

/** How an adapter's base model is found and read. */
interface BasePlace {
  /** The base, if it is in memory. */
  readonly known?: Model;
  readonly format?: BaseFormat;
  /** Its place, if the adapter's own files do not locate it. */
  readonly given?: BaseRef;
  readonly read?: ReadWhole;
}

/**
 * Reads an adapter with its base model. Throws `not-found` if the base is missing, `unsupported` if it is
 * itself an adapter.
 */
export const readAdapterFolder = async (
  folder: string,
  { known, format, given, read = readWhole }: BasePlace = {},
): Promise<Model> => {
  const trainedWith = await formatOfAdapter(folder);
  const as = format ?? trainedWith.format;
  const base = known?.adapter?.base ?? given ?? (await baseOfAdapter(folder));
  const found = known ?? (await readBase(base.path, folder, (path) => read(path, as)));
  const { quantized } = found;
  if (
    trainedWith.hash !== undefined &&
    quantized?.format === trainedWith.format &&
    quantized.hash !== trainedWith.hash
  )
    throw new WhetstoneError(
      'conflict',
      'The base model of this adapter has other quantized matrices than in training.',
      { where: base.path, hint: 'Restore the model that the adapter was trained on.' },
    );
  const { head, labels } = await headOfAdapter(folder);
  const { config } = found;
  const { adapter, ...model } =
    config.head === head && config.labels === labels ? found : baseFor(found, head, labels);
  return { ...model, adapter: await readAdapter(folder, model.config, adapter?.base ?? base) };
};

const readBase = async (path: string, folder: string, read: ReadWhole): Promise<Model> => {
  const resolved = await resolveModelFolder(path);
  if (await isAdapterFolder(resolved))
    throw new WhetstoneError('unsupported', 'The model of this adapter is an adapter itself.', {
      where: folder,
      hint: 'Merge that one first.',
    });
  return read(resolved);
};
