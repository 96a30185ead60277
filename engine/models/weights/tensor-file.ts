/**
 * Weight files on disk, read tensor by tensor: one safetensors file, or several with an index. Only the
 * tensors are held in memory.
 */
import { open, stat, type FileHandle } from 'node:fs/promises';
import { join } from 'node:path';
import * as z from 'zod';
import { pause } from '../../pace/index.ts';
import { WhetstoneError } from '../../common/errors.ts';
import { decodeInto, widths, type FloatType } from './dtypes.ts';
import { parseJson, readBytes, readError } from './durable.ts';
import { broken, floatTypeOf, headerLength, parseHeader, type Entry, type Header } from './safetensors.ts';

/** Bytes read and converted at once. */
const pieceBytes = 2 ** 23;

const fill = async (handle: FileHandle, into: Uint8Array, position: number, path: string): Promise<void> => {
  for (let at = 0; at < into.length;) {
    const { bytesRead } = await handle.read(into, at, Math.min(into.length - at, 2 ** 30), position + at);
    if (bytesRead === 0) throw broken(path, `it ends at byte ${position + at}, while it was being read`);
    at += bytesRead;
  }
};

const readHeader = async (path: string): Promise<Header> => {
  try {
    await using handle = await open(path);
    const { size } = await handle.stat();
    const first = new Uint8Array(Math.min(8, size));
    await fill(handle, first, 0, path);
    const json = new Uint8Array(headerLength(first, size, path));
    await fill(handle, json, 8, path);
    return parseHeader(json, size, path);
  } catch (cause) {
    throw readError(cause, path, 'weight file');
  }
};

/** A tensor of a folder: its file, and its range there. */
export interface FoundTensor {
  readonly path: string;
  readonly name: string;
  readonly start: number;
  readonly entry: Entry;
}

/** The tensors of a model folder, or of one file, by name. */
export type WeightFolder = ReadonlyMap<string, FoundTensor>;

/** The tensors of one file. */
export const tensorsOf = async (path: string): Promise<WeightFolder> => {
  const { entries, start } = await readHeader(path);
  return new Map([...entries].map(([name, entry]) => [name, { path, name, start, entry }]));
};

/** The single weight file, and the index of sharded weights. */
export const weightNames = { single: 'model.safetensors', index: 'model.safetensors.index.json' } as const;

const Index = z.object({
  weight_map: z.record(z.string(), z.string().regex(/^[^/\\]+$/, 'a file’s name has no path in it')),
});

const exists = (path: string): Promise<boolean> =>
  stat(path).then(
    () => true,
    () => false,
  );

/**
 * Finds the tensors of a folder: `model.safetensors`, or the shards that `model.safetensors.index.json`
 * names. Throws `not-found` if a file is missing, `invalid-input` if one is damaged, lacks a tensor listed
 * in the index, or holds one that the index omits.
 */
export const openWeights = async (folder: string): Promise<WeightFolder> => {
  const single = join(folder, weightNames.single);
  const indexPath = join(folder, weightNames.index);
  if ((await exists(single)) || !(await exists(indexPath))) return tensorsOf(single);
  const parsed = Index.safeParse(parseJson(await readBytes(indexPath, 'index of weight files'), indexPath));
  if (!parsed.success)
    throw new WhetstoneError(
      'invalid-input',
      `The index of weight files is not complete: ${z.prettifyError(parsed.error)}`,
      { where: indexPath },
    );
  const map = Object.entries(parsed.data.weight_map);
  const found = new Map<string, FoundTensor>();
  const unlisted: { file: string; name: string }[] = [];
  for (const file of new Set(map.map(([, name]) => name))) {
    const shard = await tensorsOf(join(folder, file));
    for (const [name] of map.filter(([, holder]) => holder === file)) {
      const tensor = shard.get(name);
      if (!tensor)
        throw broken(join(folder, file), 'the index says that it holds a tensor which is not in it', name);
      found.set(name, tensor);
    }
    const name = [...shard.keys()].find((held) => parsed.data.weight_map[held] !== file);
    if (name !== undefined) unlisted.push({ file, name });
  }
  // a tensor missing from the index would be ignored here, and Transformers reads it
  for (const { file, name } of unlisted)
    throw broken(join(folder, file), 'the index does not say that it holds this tensor', name);
  return found;
};

/** Reads tensors into arrays of their size, opening each file once, in the order of the file. */
export const readTensors = async (
  requests: readonly { readonly tensor: FoundTensor; readonly into: Float32Array }[],
): Promise<void> => {
  const byFile = Map.groupBy(requests, ({ tensor }) => tensor.path);
  for (const [path, tensors] of byFile) {
    try {
      await using handle = await open(path);
      for (const {
        tensor: { name, start, entry },
        into,
      } of [...tensors].sort((a, b) => a.tensor.entry.begin - b.tensor.entry.begin))
        await readTensor(handle, path, start + entry.begin, floatTypeOf(entry, name, path), into);
    } catch (cause) {
      throw readError(cause, path, 'weight file');
    }
  }
};

/** True if two tensors of one shape hold equal numbers, whatever their types. */
export const sameValues = async (a: FoundTensor, b: FoundTensor): Promise<boolean> => {
  const size = a.entry.shape.reduce((product, length) => product * length, 1);
  for (let from = 0; from < size; from += pieceBytes / 4) {
    const [left, right] = [a, b].map((tensor) => ({
      tensor: pieceOf(tensor, from),
      into: new Float32Array(Math.min(pieceBytes / 4, size - from)),
    }));
    await readTensors([left]);
    await readTensors([right]);
    // NaN counts as equal to NaN
    if (!left.into.every((x, at) => Object.is(x, right.into[at]) || x === right.into[at])) return false;
  }
  return true;
};

/** The rest of a tensor from one of its elements on. */
const pieceOf = (tensor: FoundTensor, from: number): FoundTensor => {
  const width = widths[floatTypeOf(tensor.entry, tensor.name, tensor.path)];
  return { ...tensor, entry: { ...tensor.entry, begin: tensor.entry.begin + from * width } };
};

const readTensor = async (
  handle: FileHandle,
  path: string,
  position: number,
  dtype: FloatType,
  into: Float32Array,
): Promise<void> => {
  if (dtype === 'F32')
    return fill(handle, new Uint8Array(into.buffer, into.byteOffset, into.byteLength), position, path);
  const piece = new Uint8Array(Math.min(pieceBytes, into.length * widths[dtype]));
  for (let from = 0; from < into.length; from += pieceBytes / 2) {
    const part = into.subarray(from, from + pieceBytes / 2);
    const bytes = piece.subarray(0, part.length * 2);
    await pause();
    await fill(handle, bytes, position + from * 2, path);
    decodeInto(part, bytes, dtype);
  }
};
