/**
 * What a model folder's files are: one hash over their contents, and how to tell cheaply that they are still
 * the same.
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
 * A file that changed less than this before it was hashed may change again without another time stamp: clocks
 * of file systems tick slowly.
 */
const settledMs = 2000;

/** What this process has hashed, by path. */
const hashed = new Map<string, ModelFile>();

/**
 * Size, times and number of a file. Its time of change cannot be set by a program, as that of modification
 * can.
 */
const stampOf = async (path: string): Promise<{ stamp: string; changedMs: number }> => {
  const { size, mtimeNs, ctimeNs, ino } = await stat(path, { bigint: true }).catch((cause: unknown) => {
    throw readError(cause, path, basename(path));
  });
  return { stamp: [size, mtimeNs, ctimeNs, ino].join('-'), changedMs: Number(ctimeNs / 1_000_000n) };
};

/** Contents are read again only where size, times or file are others than when they were hashed last. */
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

/**
 * Configuration and weights; of weights in several files also the index, which says where each tensor is
 * read.
 */
const ofWhole = async (folder: string): Promise<string[]> => {
  const weights = [...new Set([...(await openWeights(folder)).values()].map(({ path }) => basename(path)))];
  return ['config.json', ...weights, ...(weights.includes(weightNames.single) ? [] : [weightNames.index])];
};

/** The files that make a model: its configuration, weights, tokenizer; of an adapter, its own. */
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
   * The hash as it was taken before the index of weights in several files counted; of every other folder the
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
 * SHA-256 over one line `sha256 bytes name` for each file of a folder, sorted by name; of an adapter also
 * over its model’s hash. `known` are files as they were hashed before: those that have not been touched since
 * are not read again. Throws `not-found` for a folder that is not complete.
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
 * Whether these files are those that `hash` was taken of. A hash from before the index counted says nothing
 * of it: then the index must be the one among `known`, where it has been seen since.
 */
export const isSame = (
  { hash, withoutIndex, files }: Fingerprint,
  wanted: string,
  known: readonly ModelFile[] = [],
): boolean => {
  if (hash === wanted || withoutIndex !== wanted) return hash === wanted;
  return files
    .filter(isIndex)
    .every(({ path, sha256 }) => (known.find((file) => file.path === path)?.sha256 ?? sha256) === sha256);
};

/** What a person does about a folder that is not what it was. */
export const changedFolder = (where: string): WhetstoneError =>
  new WhetstoneError(
    'conflict',
    'The files of this model folder are not those that were added: what was measured with them would not ' +
      'come out again.',
    {
      where,
      hint: 'Put the files back, or add the folder again as a new model and launch the run anew with it.',
    },
  );
