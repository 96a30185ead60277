/**
 * Fingerprints of model folders: one hash over the contents of their files, and a cheap check that they are
 * unchanged.
 */
import { createHash } from 'node:crypto';
import { access, stat } from 'node:fs/promises';
import { basename, join } from 'node:path';
import { WhetstoneError } from '../common/errors.ts';
import type { ModelFile } from '../schema/messages.ts';
import { tokenizerFiles } from '../text/hugging-face.ts';
import { adapterFiles, isAdapterFolder } from './adapters/peft.ts';
import { factsOf, readError } from './weights/durable.ts';
import { openWeights, weightNames } from './weights/tensor-file.ts';

/**
 * A file hashed within this time of its last change may change again without a new time stamp: clocks of
 * file systems tick slowly.
 */
const settledMs = 2000;

/** Hashes computed by this process, by path. */
const hashed = new Map<string, ModelFile>();

/**
 * Size, times and inode of a file. A program can set the time of modification, but not the time of change.
 */
const stampOf = async (path: string): Promise<{ stamp: string; changedMs: number }> => {
  const { size, mtimeNs, ctimeNs, ino } = await stat(path, { bigint: true }).catch((cause: unknown) => {
    throw readError(cause, path, basename(path));
  });
  return { stamp: [size, mtimeNs, ctimeNs, ino].join('-'), changedMs: Number(ctimeNs / 1_000_000n) };
};

/** Reads contents again only if size, times or inode differ from those at the last hash. */
const fileOf = async (path: string, known: ReadonlyMap<string, ModelFile>): Promise<ModelFile> => {
  const { stamp, changedMs } = await stampOf(path);
  const same = [known.get(path), hashed.get(path)].find(
    (file) => file?.stamp === stamp && changedMs + settledMs < file.hashedAt,
  );
  const file = same ?? { path, hashedAt: Date.now(), stamp, ...(await factsOf(path, basename(path))) };
  hashed.set(path, file);
  return file;
};

const there = (path: string): Promise<boolean> =>
  access(path).then(
    () => true,
    () => false,
  );

/** Configuration and weights; for sharded weights also the index, which assigns each tensor to a file. */
const ofWhole = async (folder: string): Promise<string[]> => {
  const weights = [...new Set([...(await openWeights(folder)).values()].map(({ path }) => basename(path)))];
  return ['config.json', ...weights, ...(weights.includes(weightNames.single) ? [] : [weightNames.index])];
};

/** The files that define a model: its configuration, weights, tokenizer; of an adapter, its own. */
const namesOf = async (folder: string): Promise<string[]> => {
  const own = (await isAdapterFolder(folder))
    ? [adapterFiles.config, adapterFiles.weights]
    : await ofWhole(folder);
  const spoken = await Promise.all(tokenizerFiles.map((name) => there(join(folder, name))));
  return [...own, ...tokenizerFiles.filter((_name, at) => spoken[at])];
};

export interface Fingerprint {
  readonly hash: string;
  /**
   * The hash by the earlier rule, which left out the index of sharded weights; of every other folder the
   * same.
   */
  readonly withoutIndex: string;
  readonly bytes: number;
  readonly files: readonly ModelFile[];
}

const hashOf = (files: readonly ModelFile[], base: Pick<Fingerprint, 'hash'> | null): string =>
  createHash('sha256')
    .update(
      [
        ...files.map(({ sha256, bytes, path }) => `${sha256} ${bytes} ${basename(path)}\n`),
        ...(base ? [`${base.hash} beside\n`] : []),
      ].join(''),
    )
    .digest('hex');

const isIndex = ({ path }: ModelFile): boolean => basename(path) === weightNames.index;

/**
 * SHA-256 over one line `sha256 bytes name` per file of a folder, sorted by name; for an adapter also over
 * its base model's hash. `known` are earlier hashes: unchanged files are not read again. Throws `not-found`
 * for an incomplete folder.
 */
export const fingerprintOf = async (
  folder: string,
  base: Pick<Fingerprint, 'hash' | 'files'> | null,
  known: readonly ModelFile[] = [],
): Promise<Fingerprint> => {
  const byPath = new Map(known.map((file) => [file.path, file]));
  const files: ModelFile[] = [];
  for (const name of (await namesOf(folder)).sort()) files.push(await fileOf(join(folder, name), byPath));
  return {
    hash: hashOf(files, base),
    withoutIndex: hashOf(
      files.filter((file) => !isIndex(file)),
      base,
    ),
    bytes: files.reduce((total, { bytes }) => total + bytes, 0),
    files: [...files, ...(base?.files ?? [])],
  };
};

/**
 * True if `hash` was taken of these files. A hash by the earlier rule does not cover the index: then the
 * index must be the one among `known`, if it was seen since.
 */
export const isSame = (
  { hash, withoutIndex, files }: Fingerprint,
  expected: string,
  known: readonly ModelFile[] = [],
): boolean => {
  if (hash === expected || withoutIndex !== expected) return hash === expected;
  return files
    .filter(isIndex)
    .every(({ path, sha256 }) => (known.find((file) => file.path === path)?.sha256 ?? sha256) === sha256);
};

/** The error for a folder that has changed. */
export const changedFolder = (where: string): WhetstoneError =>
  new WhetstoneError(
    'conflict',
    'The files of this model folder have changed since it was added: earlier measurements could not be ' +
      'reproduced.',
    {
      where,
      hint: 'Put the files back, or add the folder again as a new model and launch the run anew with it.',
    },
  );
