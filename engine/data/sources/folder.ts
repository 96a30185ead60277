import { createHash } from 'node:crypto';
import { readdir, stat } from 'node:fs/promises';
import { basename, dirname, extname, join, relative } from 'node:path';
import { WhetstoneError } from '../../common/errors.ts';
import { isObject, type Limits, type ParsedRecord } from '../formats/record.ts';
import { arrowHint } from './text-file.ts';
import { openOne } from './one-file.ts';
import type { Source } from './source.ts';
import { unpackedName } from './text.ts';

/** One file of a dataset's folder. */
interface Shard {
  readonly path: string;
  /** Relative to the folder, with forward slashes. */
  readonly name: string;
  readonly split: string;
  readonly size: number;
}

const endings = ['.parquet', '.jsonl', '.ndjson', '.json', '.csv', '.tsv'];
const noData = /^(?:dataset_infos?|state|config|metadata|package)\.json$/;

/** Names of splits, and the words in paths that mean them, as the Hugging Face Hub reads them. */
const splits: readonly (readonly [split: string, words: RegExp])[] = [
  ['train', /(?:^|[\W_])(?:train|training)(?:[\W_\d]|$)/i],
  ['validation', /(?:^|[\W_])(?:validation|valid|dev|val)(?:[\W_\d]|$)/i],
  ['test', /(?:^|[\W_])(?:test|testing|eval|evaluation)(?:[\W_\d]|$)/i],
];

/** The split of a file: `data/NAME-00000-of-00002.parquet`, else a word in its path, else `train`. */
const splitOf = (name: string): string =>
  /(?:^|\/)([\w.]+)-\d{5}-of-\d{5}\./.exec(name)?.[1] ??
  splits.find(([, words]) => words.test(name))?.[0] ??
  'train';

/**
 * A folder of data files in the layout of the Hugging Face Hub: one dataset of all files, with the name of
 * the split in the column `split`. Lines count on from file to file. Throws `invalid-input` for a folder
 * without data, of several configurations, or with a missing shard.
 */
export const openFolder = async (path: string): Promise<Source> => {
  const shards = await shardsOf(path);
  const formats = new Set<string>();
  const hashes: string[] = [];
  let [current, done]: [Source | null, number] = [null, 0];
  const readShard = async function* (shard: Shard, before: number, limits: Limits) {
    await using source = await openOne(shard.path);
    current = source;
    let last = before;
    for await (const found of source.records(limits)) {
      last = before + (found.at(-1)?.line ?? last - before);
      yield found.map((one) => placed(one, shard, before));
    }
    formats.add(source.title);
    hashes.push(`${await source.hash()}  ${shard.name}\n`);
    [current, done] = [null, done + source.totalBytes];
    return last;
  };
  return {
    get title() {
      const files = `${shards.length} ${shards.length === 1 ? 'file' : 'files'}`;
      return `folder of ${files} (${[...formats].join(', ')})`;
    },
    totalBytes: shards.reduce((sum, { size }) => sum + size, 0),
    get bytes() {
      return done + (current?.bytes ?? 0);
    },
    async *records(limits) {
      let before = 0;
      for (const shard of shards) before = yield* readShard(shard, before, limits);
    },
    hash: () => Promise.resolve(createHash('sha256').update(hashes.join('')).digest('hex')),
    [Symbol.asyncDispose]: () => Promise.resolve(),
  };
};

/** A record of a shard, with its split unless it has that column, and its line in the whole. */
const placed = (one: ParsedRecord, { path, split }: Shard, before: number): ParsedRecord => {
  const [line, place] = [before + one.line, `${path}:${one.line}`];
  if (!('value' in one) || !isObject(one.value)) return { ...one, line, place };
  return { line, place, value: 'split' in one.value ? one.value : { ...one.value, split } };
};

const shardsOf = async (folder: string): Promise<readonly Shard[]> => {
  const entries = await readdir(folder, { recursive: true, withFileTypes: true });
  const found = entries
    .filter((entry) => entry.isFile() || entry.isSymbolicLink())
    .map((entry) => join(entry.parentPath, entry.name))
    .filter((path) => !/(?:^|[\\/])\./.test(relative(folder, path)))
    .sort();
  const files: string[] = [];
  // the files of a snapshot in the Hub's cache are links
  for (const path of found) if ((await stat(path).catch(() => null))?.isFile()) files.push(path);
  const data = files.filter(
    (path) => endings.includes(extname(unpackedName(path)).toLowerCase()) && !noData.test(basename(path)),
  );
  if (data.length === 0) {
    const isArrow = files.some((path) => path.endsWith('.arrow'));
    throw new WhetstoneError(
      'invalid-input',
      isArrow ? 'The folder holds Arrow files, which are not read.' : 'The folder holds no data files.',
      {
        where: folder,
        hint: isArrow ? arrowHint : `Choose a folder with files of ${endings.join(', ')}.`,
      },
    );
  }
  const isParquet = data.some((path) => path.endsWith('.parquet'));
  const chosen = data.filter((path) => !isParquet || path.endsWith('.parquet'));
  const shards = await Promise.all(
    chosen.map(async (path): Promise<Shard> => {
      const name = relative(folder, path).replaceAll('\\', '/');
      return { path, name, split: splitOf(name), size: (await stat(path)).size };
    }),
  );
  refuseSeveral(folder, shards);
  refuseMissing(folder, shards);
  return shards;
};

/** Folders that are configurations of their own: those with a split that another folder has, too. */
const refuseSeveral = (folder: string, shards: readonly Shard[]): void => {
  const places = Map.groupBy(shards, ({ name }) => dirname(name));
  const configurations = [...places.keys()].filter((place) =>
    shards.some(
      (shard) => dirname(shard.name) !== place && places.get(place)?.some((own) => own.split === shard.split),
    ),
  );
  if (configurations.length < 2) return;
  throw new WhetstoneError(
    'invalid-input',
    `The folder holds ${configurations.length} datasets: ${configurations.slice(0, 8).join(', ')}.`,
    { where: folder, hint: 'Import one of these folders at a time.' },
  );
};

/** Throws for `name-00001-of-00003.parquet` without its neighbours. */
const refuseMissing = (folder: string, shards: readonly Shard[]): void => {
  const numbered = shards.flatMap(({ name }) => {
    const match = /^(.*)-(\d{5})-of-(\d{5})(\..*)$/.exec(name);
    return match
      ? [{ series: `${match[1]}-#-of-${match[3]}${match[4]}`, at: Number(match[2]), of: Number(match[3]) }]
      : [];
  });
  for (const [series, found] of Map.groupBy(numbered, (each) => each.series)) {
    const there = new Set(found.map(({ at }) => at));
    const missing = Array.from({ length: found[0].of }, (_none, at) => at).find((at) => !there.has(at));
    if (missing === undefined) continue;
    throw new WhetstoneError(
      'invalid-input',
      `The folder has ${there.size} of ${found[0].of} files of a series; one is missing.`,
      {
        where: join(folder, series.replace('#', String(missing).padStart(5, '0'))),
        hint: 'Download the missing files.',
      },
    );
  }
};
