/**
 * A checkpoint is a folder: `model.safetensors`, `config.json` and `tokenizer.json` (which other tools read), `state.json` and
 * `optimizer.safetensors` (what a run needs to continue), and `manifest.json` with the SHA-256 of each. It is written beside its
 * place, flushed, and renamed, so that at any instant its name stands for a complete folder or for nothing.
 */
import { createHash } from 'node:crypto';
import { access, mkdir, rename, rm } from 'node:fs/promises';
import { join } from 'node:path';
import { z } from 'zod';
import { WhetstoneError } from '../schema/errors.ts';
import type { CheckpointFacts } from '../schema/messages.ts';
import { parseTokenizer } from '../text/load.ts';
import type { Tokenizer } from '../text/tokenizer.ts';
import { fromHuggingFace, toHuggingFace } from './hugging-face.ts';
import { modelFromTensors, storedTensors, type Model } from './model.ts';
import { parseJson, readBytes, syncFolder, syncParent, writeDurably, writeError } from './weights/durable.ts';
import { decodeSafetensors, encodeSafetensors } from './weights/safetensors.ts';

/** What a checkpoint holds. */
export interface Checkpoint {
  readonly model: Model;
  readonly tokenizer: Tokenizer;
  /** The trainer's own facts as plain data: step, random counters, data cursor, controllers. */
  readonly state?: unknown;
  /** The optimizer's arrays by name (moments, as long as the model's flat array). */
  readonly optimizer?: Readonly<Record<string, Float32Array>>;
}

export type SavedCheckpoint = Omit<CheckpointFacts, 'final'>;

const names = { model: 'model.safetensors', config: 'config.json', tokenizer: 'tokenizer.json', state: 'state.json', optimizer: 'optimizer.safetensors', manifest: 'manifest.json' } as const;
type FileName = (typeof names)[keyof typeof names];

const Manifest = z.strictObject({
  version: z.literal(1),
  hash: z.string(),
  files: z.array(z.strictObject({ name: z.enum(names), bytes: z.int().min(0), sha256: z.string().regex(/^[0-9a-f]{64}$/) })).min(1),
});
type ManifestFile = z.infer<typeof Manifest>['files'][number];

const sha256 = (bytes: Uint8Array | string): string => createHash('sha256').update(bytes).digest('hex');

/** SHA-256 over the sorted manifest: one line `sha256 bytes name` for each file. */
const hashOf = (files: readonly ManifestFile[]): string =>
  sha256([...files].sort((a, b) => a.name < b.name ? -1 : 1).map((f) => `${f.sha256} ${f.bytes} ${f.name}\n`).join(''));

/** JSON would turn NaN and infinities into null, and a run would continue from it. */
const toJson = (value: unknown, file: string): Uint8Array => new TextEncoder().encode(`${JSON.stringify(value, (key, inner: unknown) => {
  if (typeof inner === 'number' && !Number.isFinite(inner)) throw new WhetstoneError('numeric', `The value '${key}' is ${inner} and cannot be saved.`, { where: file });
  return inner;
}, 1)}\n`);

const filesOf = ({ model, tokenizer, state, optimizer }: Checkpoint): Map<FileName, Uint8Array> => {
  const bad = model.parameters.slots.find(({ name }) => !model.parameters.view(name).every(Number.isFinite));
  if (bad) throw new WhetstoneError('numeric', 'A model with NaN or infinite parameters is not saved.', { where: bad.name, hint: 'Lower the learning rate and continue from the last checkpoint.' });
  const files = new Map<FileName, Uint8Array>([
    [names.model, encodeSafetensors(storedTensors(model))],
    [names.config, toJson(toHuggingFace(model.config), names.config)],
    [names.tokenizer, toJson(tokenizer.toJson(), names.tokenizer)],
  ]);
  if (state !== undefined) files.set(names.state, toJson(state, names.state));
  if (optimizer) files.set(names.optimizer, encodeSafetensors(Object.fromEntries(Object.entries(optimizer).map(([name, data]) => [name, { shape: [data.length], data }]))));
  return files;
};

const exists = (path: string): Promise<boolean> => access(path).then(() => true, () => false);

/**
 * Writes a checkpoint folder. Until the last rename nothing stands at `folder`; a killed or failed writer leaves at most
 * `<folder>.partial`, which the next attempt removes. Throws `conflict` where `folder` exists, `disk-full` without room,
 * `numeric` for parameters or state that are not finite.
 */
export const writeCheckpoint = async (folder: string, checkpoint: Checkpoint): Promise<SavedCheckpoint> => {
  if (await exists(folder)) throw new WhetstoneError('conflict', 'A checkpoint of this name exists already.', { where: folder, hint: 'Checkpoints are never overwritten; choose another folder.' });
  const contents = filesOf(checkpoint);
  const files = [...contents].map(([name, bytes]): ManifestFile => ({ name, bytes: bytes.length, sha256: sha256(bytes) })).sort((a, b) => a.name < b.name ? -1 : 1);
  const hash = hashOf(files);
  const partial = `${folder}.partial`;
  try {
    await rm(partial, { recursive: true, force: true });
    await mkdir(partial, { recursive: true });
    for (const [name, bytes] of contents) await writeDurably(join(partial, name), bytes);
    await writeDurably(join(partial, names.manifest), toJson({ version: 1, hash, files }, names.manifest));
    await syncFolder(partial);
    await rename(partial, folder);
    await syncParent(folder);
  } catch (cause) {
    await rm(partial, { recursive: true, force: true });
    throw writeError(cause, folder);
  }
  return { path: folder, hash, bytes: files.reduce((total, f) => total + f.bytes, 0), parameters: checkpoint.model.parameters.size, head: checkpoint.model.config.head };
};

/** The files of a complete checkpoint, each checked against the manifest. */
const verifiedFiles = async (folder: string): Promise<{ hash: string; files: Map<FileName, Uint8Array> }> => {
  const path = join(folder, names.manifest);
  const parsed = Manifest.safeParse(parseJson(await readBytes(path, 'manifest'), path));
  const damaged = (message: string, where: string) => new WhetstoneError('invalid-input', `This checkpoint is damaged: ${message}.`, { where, hint: 'Choose another checkpoint of the run.' });
  if (!parsed.success) throw damaged(z.prettifyError(parsed.error), path);
  const { hash, files } = parsed.data;
  if (hashOf(files) !== hash) throw damaged('its manifest does not have the hash that it states', path);
  const out = new Map<FileName, Uint8Array>();
  for (const { name, bytes: size, sha256: wanted } of files) {
    const bytes = await readBytes(join(folder, name), name);
    if (bytes.length !== size) throw damaged(`the file has ${bytes.length} bytes and the manifest states ${size}`, join(folder, name));
    if (sha256(bytes) !== wanted) throw damaged('the file’s contents have changed since it was saved', join(folder, name));
    out.set(name, bytes);
  }
  for (const name of [names.model, names.config, names.tokenizer]) if (!out.has(name)) throw damaged(`its manifest does not list ${name}`, path);
  return { hash, files: out };
};

/** Checks every file of a checkpoint against its manifest without building a model. Returns the checkpoint's hash. */
export const verifyCheckpoint = async (folder: string): Promise<string> => (await verifiedFiles(folder)).hash;

/** Reads a checkpoint that `writeCheckpoint` finished; every file is checked against the manifest first. */
export const readCheckpoint = async (folder: string): Promise<Checkpoint & { readonly hash: string }> => {
  const { hash, files } = await verifiedFiles(folder);
  const json = (name: FileName): unknown => {
    const bytes = files.get(name);
    return bytes && parseJson(bytes, join(folder, name));
  };
  const optimizer = files.get(names.optimizer);
  return {
    hash,
    model: modelOf(folder, json(names.config), files.get(names.model) ?? new Uint8Array()),
    tokenizer: parseTokenizer(json(names.tokenizer), join(folder, names.tokenizer)),
    ...(files.has(names.state) && { state: json(names.state) }),
    ...(optimizer && { optimizer: Object.fromEntries([...decodeSafetensors(optimizer, join(folder, names.optimizer))].map(([name, { data }]) => [name, data])) }),
  };
};

/** Reads the model of a folder that another tool wrote (`config.json` and one `model.safetensors`); it has no manifest to check. */
export const readModelFolder = async (folder: string): Promise<Model> => {
  const path = join(folder, names.config);
  return modelOf(folder, parseJson(await readBytes(path, 'config.json'), path), await readBytes(join(folder, names.model), names.model));
};

const modelOf = (folder: string, config: unknown, weights: Uint8Array): Model => {
  const file = join(folder, names.model);
  return modelFromTensors(fromHuggingFace(config, join(folder, names.config)), decodeSafetensors(weights, file), file);
};
