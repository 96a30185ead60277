/**
 * Cache of features of a frozen model: computed once for each (model, rows), kept in files, and reused by
 * the next run or attempt. Rows are computed in portions; each is an atomically written file, named by the
 * hash of everything that it depends on.
 */
import { createHash, hash } from 'node:crypto';
import { mkdir, readdir, readFile, rename, rm, stat, utimes, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { part, pause } from '../../pace/index.ts';
import { runtimeVersion } from '../../runtime/index.ts';
import { WhetstoneError } from '../../common/errors.ts';
import type { PerToken } from '../kernel/columns.ts';
import type { LiveModel } from './live-model.ts';
import { sharedPrefixes } from './shared-prefixes.ts';
import { gather, rowCount, rowOf } from '../kernel/rows.ts';

/** Distinct rows per file: the work lost on cancellation. */
const PORTION = 48;
/** Bound on the files of one folder; the least recently used are deleted first. */
const MOST_BYTES = 2 ** 29;
/** Bytes hashed between two pauses. */
const HASHED_BYTES = 2 ** 26;

export interface FeatureRows {
  readonly tokens: PerToken<Int32Array>;
  readonly mask: PerToken<Uint8Array>;
}
export interface FeatureOptions {
  /** Folder of the cache; without one, features are always computed. */
  readonly folder?: string | undefined;
  /** On a counting device: counts one portion, the longest of the missing ones, and returns zeros. */
  readonly rehearsal?: boolean;
}
/** R × width, row by row; `portions` is the factor on a rehearsal's time. */
export interface Features {
  readonly values: Float64Array;
  readonly width: number;
  readonly portions: number;
}

/**
 * The final hidden state of each row's last token. Equal rows are computed once, and a prompt once for
 * several of its answers.
 */
export const frozenFeatures = async (
  live: LiveModel,
  rows: FeatureRows,
  { folder, rehearsal = false }: FeatureOptions,
): Promise<Features> => {
  const portions = portionsOf(rows);
  const store = folder === undefined ? undefined : new FeatureFiles(folder, await identityOf(live));
  const known = new Map<number, Float32Array>();
  for (const [at, portion] of portions.entries()) {
    const found = await store?.read(portion.rows);
    if (found) known.set(at, found);
  }
  const missing = portions.map((_, at) => at).filter((at) => !known.has(at));
  // the longest rows need the most of any portion
  for (const [done, at] of (rehearsal ? missing.slice(0, 1) : missing).entries()) {
    const count = rehearsal ? 1 : missing.length;
    const { values } = await part(done / count, (done + 1) / count, () =>
      live.features(portions[at].rows.tokens, portions[at].rows.mask),
    );
    const made = Float32Array.from(values);
    if (!made.every(Number.isFinite)) {
      throw new WhetstoneError('numeric', 'The model gave features that are not finite numbers.', {
        hint: 'Begin with an earlier checkpoint, or with another copy of the model.',
      });
    }
    known.set(at, made);
    if (!rehearsal) await store?.write(portions[at].rows, made);
  }
  return { ...laidOut(portions, known, rowCount(rows.tokens)), portions: missing.length };
};

/** Distinct rows computed together, each with its equal rows of the batch. */
interface Portion {
  readonly rows: FeatureRows;
  readonly places: readonly (readonly number[])[];
}

/** Groups equal rows, then rows of one prompt, prompts with the longest rows first. */
const portionsOf = ({ tokens, mask }: FeatureRows): Portion[] => {
  const places = new Map<string, number[]>();
  for (let r = 0; r < rowCount(tokens); r++) {
    const key = rowOf(tokens, r).join();
    const same = places.get(key);
    if (same) same.push(r);
    else places.set(key, [r]);
  }
  const { prefixId_R } = sharedPrefixes(tokens, mask);
  const different = [...places.values()];
  const groups = [...Map.groupBy(different, ([first]) => prefixId_R[first]).values()];
  const longest = (group: readonly (readonly number[])[]) =>
    Math.max(...group.map(([first]) => rowOf(tokens, first).length));
  const sorted = groups.toSorted((a, b) => longest(b) - longest(a) || a[0][0] - b[0][0]);
  const portions: number[][][] = [[]];
  for (const group of sorted) {
    if (
      portions[portions.length - 1].length + group.length > PORTION &&
      portions[portions.length - 1].length > 0
    )
      portions.push([]);
    portions[portions.length - 1].push(...group);
  }
  return portions
    .filter(({ length }) => length > 0)
    .map((own) => {
      const from = Uint32Array.from(own, ([first]) => first);
      return { rows: { tokens: gather(tokens, from), mask: gather(mask, from) }, places: own };
    });
};

const laidOut = (
  portions: readonly Portion[],
  known: ReadonlyMap<number, Float32Array>,
  rows: number,
): Omit<Features, 'portions'> => {
  const [first] = known.values();
  const width = first ? first.length / portions[[...known.keys()][0]].places.length : 0;
  const values = new Float64Array(rows * width);
  for (const [at, made] of known) {
    portions[at].places.forEach((same, p) => {
      for (const r of same) values.set(made.subarray(p * width, (p + 1) * width), r * width);
    });
  }
  return { values, width };
};

/**
 * Everything that features depend on besides the rows: the model's parameters without its head, its
 * configuration, and the device.
 */
const identityOf = async ({ parameters, base, programs: { device, graph } }: LiveModel): Promise<string> => {
  const sum = createHash('sha256').update(
    JSON.stringify([
      'last hidden state',
      graph.id,
      device.id,
      device.threads,
      runtimeVersion,
      base?.settings,
    ]),
  );
  const arrays = [
    ...parameters.slots
      .filter(({ name }) => name !== 'score.weight')
      .map(({ name }) => [name, parameters.view(name)] as const),
    ...Object.entries(base?.inputs.feeds ?? {}),
  ];
  for (const [name, { buffer, byteOffset, byteLength }] of arrays) {
    sum.update(`${name} ${byteLength}\n`);
    for (let from = 0; from < byteLength; from += HASHED_BYTES) {
      await pause();
      sum.update(new Uint8Array(buffer, byteOffset + from, Math.min(HASHED_BYTES, byteLength - from)));
    }
  }
  return sum.digest('hex');
};

class FeatureFiles {
  readonly #folder: string;
  readonly #identity: string;

  constructor(folder: string, identity: string) {
    this.#folder = folder;
    this.#identity = identity;
  }

  #path({ tokens, mask }: FeatureRows): string {
    const rows = [tokens.offsets, tokens.values, mask.values].map((values) => hash('sha256', values)).join();
    return join(this.#folder, `${hash('sha256', `${this.#identity} ${rows}`)}.f32`);
  }

  /** Undefined if there is no complete file. */
  async read(rows: FeatureRows): Promise<Float32Array | undefined> {
    const path = this.#path(rows);
    const bytes = await readFile(path).catch((error: NodeJS.ErrnoException) => {
      if (error.code === 'ENOENT') return undefined;
      throw new WhetstoneError('internal', `Stored features cannot be read: ${error.message}`, {
        where: path,
        hint: 'Delete the file: the features are computed again.',
      });
    });
    const count = rowCount(rows.tokens);
    if (!bytes || bytes.length === 0 || bytes.length % (Float32Array.BYTES_PER_ELEMENT * count) !== 0)
      return undefined;
    const now = new Date();
    await utimes(path, now, now).catch(() => undefined); // another process may have deleted it meanwhile; the data read is complete
    return new Float32Array(bytes.buffer.slice(bytes.byteOffset, bytes.byteOffset + bytes.length));
  }

  /** A failed write is ignored, since features can be computed again: a full disk does not end a run. */
  async write(rows: FeatureRows, values: Float32Array): Promise<void> {
    const path = this.#path(rows);
    const partial = `${path}.${process.pid}.partial`;
    try {
      await mkdir(this.#folder, { recursive: true });
      await writeFile(partial, new Uint8Array(values.buffer, values.byteOffset, values.byteLength), {
        mode: 0o600,
      });
      await rename(partial, path);
      await this.#bound();
    } catch {
      await rm(partial, { force: true });
    }
  }

  /** Deletes the least recently used files while the total exceeds the bound. */
  async #bound(): Promise<void> {
    const names = await readdir(this.#folder);
    const files = (
      await Promise.all(
        names.map(async (name) => {
          const path = join(this.#folder, name);
          const facts = await stat(path).catch(() => undefined); // another run may have deleted it
          return facts ? [{ path, bytes: facts.size, at: facts.mtimeMs }] : [];
        }),
      )
    )
      .flat()
      .sort((a, b) => b.at - a.at);
    let bytes = 0;
    for (const file of files) {
      bytes += file.bytes;
      if (bytes > MOST_BYTES) await rm(file.path, { force: true });
    }
  }
}
