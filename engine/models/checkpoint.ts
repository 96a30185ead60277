/**
 * A checkpoint is a folder: `model.safetensors`, `config.json` and `tokenizer.json` (in formats of other
 * tools), `state.json` and `optimizer.safetensors` (for resuming a run), and `manifest.json` with the
 * SHA-256 of each. It is written to a temporary folder, flushed, and renamed, so that at any instant its
 * name refers to a complete folder or does not exist.
 */
import { createHash } from 'node:crypto';
import { access, mkdir, rename, rm } from 'node:fs/promises';
import { join } from 'node:path';
import * as z from 'zod';
import type { BaseFormat } from '../schema/adapter.ts';
import { WhetstoneError } from '../common/errors.ts';
import type { BaseRef, CheckpointFacts, ModelPlace } from '../schema/messages.ts';
import type { PutPrompts } from '../schema/model.ts';
import { loadTokenizer } from '../text/load.ts';
import { tokenizerFiles } from '../text/hugging-face.ts';
import type { Tokenizer } from '../text/tokenizer.ts';
import { adapterFiles, baseOfAdapter, isAdapterFolder, toPeft } from './adapters/peft.ts';
import {
  readAdapterFolder,
  readModelFolder,
  readWhole,
  resolveModelFolder,
  type ReadWhole,
} from './folder.ts';
import { fingerprintOf, isSame } from './fingerprint.ts';
import { configFile } from './hugging-face.ts';
import { sizeOf, storedTensors, trainedOf, type Model } from './model.ts';
import {
  factsOf,
  parseJson,
  readBytes,
  syncFolder,
  syncParent,
  writeDurably,
  writeError,
} from './weights/durable.ts';
import { safetensorsPieces } from './weights/safetensors.ts';
import { readTensors, tensorsOf } from './weights/tensor-file.ts';

/** Contents of a checkpoint. */
export interface Checkpoint {
  readonly model: Model;
  readonly tokenizer: Tokenizer;
  /** The trainer's state as plain data: step, random counters, data cursor, controllers. */
  readonly state?: unknown;
  /** The optimizer's arrays by name (moments, as long as the model's flat array). */
  readonly optimizer?: Readonly<Record<string, Float32Array>>;
}

export type SavedCheckpoint = Omit<CheckpointFacts, 'final'>;

const names = {
  model: 'model.safetensors',
  config: 'config.json',
  tokenizer: 'tokenizer.json',
  state: 'state.json',
  optimizer: 'optimizer.safetensors',
  manifest: 'manifest.json',
  adapter: adapterFiles.weights,
  adapterConfig: adapterFiles.config,
  base: adapterFiles.base,
} as const;
/** Files of a loaded tokenizer that are copied unchanged. */
const companions = tokenizerFiles.filter((name) => name !== names.tokenizer);
const fileNames = [...Object.values(names), ...companions] as const;
/** Required files of a checkpoint: of a whole model, or of an adapter with the note on its base. */
const needed = (files: ReadonlySet<FileName>): FileName[] => [
  ...(files.has(names.adapter) ? [names.adapterConfig, names.base] : [names.model, names.config]),
  names.tokenizer,
];
type FileName = (typeof fileNames)[number];

const Manifest = z.strictObject({
  version: z.literal(1),
  hash: z.string(),
  files: z
    .array(
      z.strictObject({
        name: z.enum(fileNames),
        bytes: z.int().min(0),
        sha256: z.string().regex(/^[0-9a-f]{64}$/),
      }),
    )
    .min(1),
});
type ManifestFile = z.infer<typeof Manifest>['files'][number];

/** SHA-256 over the sorted manifest: one line `sha256 bytes name` for each file. */
const hashOf = (files: readonly ManifestFile[]): string =>
  createHash('sha256')
    .update(
      [...files]
        .sort((a, b) => (a.name < b.name ? -1 : 1))
        .map((f) => `${f.sha256} ${f.bytes} ${f.name}\n`)
        .join(''),
    )
    .digest('hex');

/** JSON would turn NaN and infinities into null, and a run would continue from it. */
const toJson = (value: unknown, file: string): Uint8Array =>
  new TextEncoder().encode(
    `${JSON.stringify(
      value,
      (key, inner: unknown) => {
        if (typeof inner === 'number' && !Number.isFinite(inner))
          throw new WhetstoneError('numeric', `The value '${key}' is ${inner} and cannot be saved.`, {
            where: file,
          });
        return inner;
      },
      1,
    )}\n`,
  );

/** Largest number that a half holds, rounding included. */
const largestHalf = 65_519;

const checkNumbers = (model: Model): void => {
  const parameters = trainedOf(model);
  const { origin, adapter } = model;
  for (const { name } of parameters.slots) {
    if (!parameters.view(name).every(Number.isFinite))
      throw new WhetstoneError('numeric', 'A model with NaN or infinite parameters is not saved.', {
        where: name,
        hint: 'Lower the learning rate and continue from the last checkpoint.',
      });
    const isHalf = !adapter && origin?.dtypes.get(name) === 'F16';
    const tooLarge = isHalf
      ? parameters.view(name).find((value) => Math.abs(value) > largestHalf)
      : undefined;
    if (tooLarge !== undefined)
      throw new WhetstoneError('numeric', `The parameter ${tooLarge} is more than a float16 can hold.`, {
        where: name,
        hint: 'Save it as bfloat16 or float32.',
      });
  }
};

const modelFiles = (model: Model, folder: string): [FileName, Iterable<Uint8Array>][] => {
  if (!model.adapter && model.quantized)
    throw new WhetstoneError(
      'internal',
      'A model whose matrices are quantized is not saved; its adapter is.',
      { where: folder },
    );
  if (!model.adapter)
    return [
      [names.model, safetensorsPieces(storedTensors(model))],
      [names.config, [new TextEncoder().encode(configFile(model.config, model.origin?.config))]],
    ];
  const { config, base, tensors } = toPeft(
    { config: model.config, adapter: model.adapter, ...(model.quantized && { quantized: model.quantized }) },
    folder,
  );
  return [
    [names.adapter, safetensorsPieces(tensors)],
    [names.adapterConfig, [toJson(config, names.adapterConfig)]],
    [names.base, [toJson(base, names.base)]],
  ];
};

/** The contents of each file in pieces, so that the weights are not in memory twice. */
const filesOf = (
  { model, tokenizer, state, optimizer }: Checkpoint,
  folder: string,
): Map<FileName, Iterable<Uint8Array>> => {
  checkNumbers(model);
  const files = new Map<FileName, Iterable<Uint8Array>>([
    ...modelFiles(model, folder),
    [names.tokenizer, [tokenizer.files?.get(names.tokenizer) ?? toJson(tokenizer.toJson(), names.tokenizer)]],
  ]);
  for (const name of companions) {
    const bytes = tokenizer.files?.get(name);
    if (bytes) files.set(name, [bytes]);
  }
  if (state !== undefined) files.set(names.state, [toJson(state, names.state)]);
  if (optimizer)
    files.set(
      names.optimizer,
      safetensorsPieces(
        Object.fromEntries(
          Object.entries(optimizer).map(([name, data]) => [name, { shape: [data.length], data }]),
        ),
      ),
    );
  return files;
};

const exists = (path: string): Promise<boolean> =>
  access(path).then(
    () => true,
    () => false,
  );

/** Receives the number of bytes written, and can stop the writer. */
export interface Follow {
  readonly signal?: AbortSignal;
  report?(this: void, written: number): void;
}

const goOn = (folder: string, { signal }: Follow): void => {
  if (signal?.aborted)
    throw new WhetstoneError('cancelled', 'The writing was cancelled; no files are left.', {
      where: folder,
    });
};

/** File pieces with progress reports. Throws `cancelled` before the next piece. */
const followed = (
  files: ReadonlyMap<FileName, Iterable<Uint8Array>>,
  folder: string,
  follow: Follow,
): Map<FileName, Iterable<Uint8Array>> => {
  let written = 0;
  const each = function* (pieces: Iterable<Uint8Array>): Generator<Uint8Array> {
    for (const piece of pieces) {
      goOn(folder, follow);
      yield piece;
      written += piece.length;
      follow.report?.(written);
    }
  };
  return new Map([...files].map(([name, pieces]) => [name, each(pieces)]));
};

/**
 * Writes a checkpoint folder. `folder` does not exist until the last rename; a killed or failed writer
 * leaves at most `<folder>.partial`, which the next attempt removes. Throws `conflict` if `folder` exists,
 * `disk-full` without room, `numeric` for parameters or state that are not finite, `cancelled` if `follow`
 * stops it.
 */
export const writeCheckpoint = async (
  folder: string,
  checkpoint: Checkpoint,
  follow: Follow = {},
): Promise<SavedCheckpoint> => {
  if (await exists(folder))
    throw new WhetstoneError('conflict', 'A folder of this name exists already.', {
      where: folder,
      hint: 'Models are never overwritten; choose another folder.',
    });
  const contents = followed(filesOf(checkpoint, folder), folder, follow);
  const files: ManifestFile[] = [];
  const partial = `${folder}.partial`;
  try {
    await rm(partial, { recursive: true, force: true });
    await mkdir(partial, { recursive: true });
    for (const [name, pieces] of contents)
      files.push({ name, ...(await writeDurably(join(partial, name), pieces)) });
    files.sort((a, b) => (a.name < b.name ? -1 : 1));
    await writeDurably(join(partial, names.manifest), [
      toJson({ version: 1, hash: hashOf(files), files }, names.manifest),
    ]);
    await syncFolder(partial);
    goOn(folder, follow);
    await rename(partial, folder);
    await syncParent(folder);
  } catch (cause) {
    await rm(partial, { recursive: true, force: true });
    throw writeError(cause, folder);
  }
  return {
    path: folder,
    hash: hashOf(files),
    bytes: files.reduce((total, f) => total + f.bytes, 0),
    parameters: sizeOf(checkpoint.model),
    head: checkpoint.model.config.head,
  };
};

/** The names of a complete checkpoint's files, each file checked against the manifest. */
const verifiedFiles = async (folder: string): Promise<{ hash: string; files: ReadonlySet<FileName> }> => {
  const path = join(folder, names.manifest);
  const parsed = Manifest.safeParse(parseJson(await readBytes(path, 'manifest'), path));
  const damaged = (message: string, where: string) =>
    new WhetstoneError('invalid-input', `This checkpoint is damaged: ${message}.`, {
      where,
      hint: 'Choose another checkpoint of the run.',
    });
  if (!parsed.success) throw damaged(z.prettifyError(parsed.error), path);
  const { hash, files } = parsed.data;
  if (hashOf(files) !== hash) throw damaged('its manifest does not have the hash that it states', path);
  for (const { name, bytes: size, sha256: expected } of files) {
    const { bytes, sha256 } = await factsOf(join(folder, name), name);
    if (bytes !== size)
      throw damaged(`the file has ${bytes} bytes and the manifest states ${size}`, join(folder, name));
    if (sha256 !== expected)
      throw damaged('the file’s contents have changed since it was saved', join(folder, name));
  }
  const there = new Set<FileName>(files.map(({ name }) => name));
  for (const name of needed(there))
    if (!there.has(name)) throw damaged(`its manifest does not list ${name}`, path);
  return { hash, files: there };
};

/**
 * Checks every file of a checkpoint against its manifest without building a model. Returns the checkpoint's
 * hash.
 */
export const verifyCheckpoint = async (folder: string): Promise<string> => (await verifiedFiles(folder)).hash;

/** The base model must be exactly the one that the adapter was trained on, if its hash is known. */
export const checkBase = async ({ path, hash }: BaseRef): Promise<void> => {
  if (hash === null) return;
  // a folder added to a workspace is identified by its model's files, a checkpoint by its manifest
  const isSaved = (await exists(join(path, names.manifest))) && (await verifiedFiles(path)).hash === hash;
  if (!isSaved && !isSame(await fingerprintOf(await resolveModelFolder(path), null), hash))
    throw new WhetstoneError('conflict', 'The base model of this adapter has changed.', {
      where: path,
      hint: 'Restore the model that the adapter was trained on, or train an adapter of the new one.',
    });
};

/**
 * Reads a checkpoint that `writeCheckpoint` finished; every file is checked against the manifest first. An
 * adapter's base model is read with it, or passed as `base` if already in memory. `format` overrides the
 * quantization of frozen matrices used in training; `read` reads whole models.
 */
export const readCheckpoint = async (
  folder: string,
  base?: Model,
  format?: BaseFormat,
  read = readWhole,
): Promise<Checkpoint & { readonly hash: string }> => {
  const { hash, files } = await verifiedFiles(folder);
  const isAdapter = files.has(names.adapter);
  if (isAdapter && !base) await checkBase(await baseOfAdapter(folder));
  const statePath = join(folder, names.state);
  return {
    hash,
    model: isAdapter
      ? await readAdapterFolder(folder, { known: base, format, read })
      : await read(folder, format),
    tokenizer: await loadTokenizer(folder),
    ...(files.has(names.state) && { state: parseJson(await readBytes(statePath, names.state), statePath) }),
    ...(files.has(names.optimizer) && { optimizer: await readArrays(join(folder, names.optimizer)) }),
  };
};

const isCheckpoint = async (folder: string): Promise<boolean> =>
  (await exists(join(folder, names.manifest))) || (await exists(join(folder, names.state)));

/** The model of any folder, without a tokenizer if another tool wrote it. A checkpoint must be complete. */
export const openModelAlone = async ({ folder, base }: ModelPlace): Promise<Model> =>
  (await isCheckpoint(folder))
    ? (await readCheckpoint(folder)).model
    : readModelFolder(await resolveModelFolder(folder), undefined, base);

/** What a model needs of a checkpoint; the optimizer's arrays are twice as large as its own. */
const withoutOptimizer = ({ optimizer: _, ...rest }: Awaited<ReturnType<typeof readCheckpoint>>) => rest;

/**
 * Opens any model folder: a run's checkpoint, which must be complete, or a folder from another tool. A
 * folder with `state.json` is a checkpoint, whatever else it lacks. `putPrompts` overrides the folder's
 * prompt format; `base` is the folder of an adapter's base model; `format` the quantization of matrices:
 * float32 by default, and for an adapter's base as in training; `read` reads whole models.
 */
export const openModelFolder = async (
  folder: string,
  putPrompts?: PutPrompts,
  format?: BaseFormat,
  base?: BaseRef,
  read?: ReadWhole,
): Promise<Omit<Checkpoint, 'optimizer'> & { readonly hash?: string }> => {
  if (await isCheckpoint(folder)) {
    const checkpoint = withoutOptimizer(await readCheckpoint(folder, undefined, format, read));
    return { ...checkpoint, ...(putPrompts && { tokenizer: await loadTokenizer(folder, putPrompts) }) };
  }
  const resolved = await resolveModelFolder(folder);
  // an adapter from another tool may have left the tokenizer in the base model's folder
  const speaks =
    (await exists(join(resolved, names.tokenizer))) || !(await isAdapterFolder(resolved))
      ? resolved
      : await resolveModelFolder((base ?? (await baseOfAdapter(resolved))).path);
  return {
    model: await readModelFolder(resolved, format, base, read),
    tokenizer: await loadTokenizer(speaks, putPrompts),
  };
};

/** Opens a model folder as `openModelFolder` does. */
export type OpenFolder = (
  folder: string,
  putPrompts?: PutPrompts,
  format?: BaseFormat,
  base?: BaseRef,
) => ReturnType<typeof openModelFolder>;

/** Every tensor of a file, as flat arrays by name. */
const readArrays = async (path: string): Promise<Record<string, Float32Array>> => {
  const arrays = [...(await tensorsOf(path))].map(([name, tensor]) => ({
    name,
    tensor,
    into: new Float32Array(tensor.entry.shape.reduce((a, b) => a * b, 1)),
  }));
  await readTensors(arrays);
  return Object.fromEntries(arrays.map(({ name, into }) => [name, into]));
};
