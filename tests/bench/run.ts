/**
 * `npm run bench -- NAME [options] [--json]`, where NAME is train, generate, sampling, rl, score, scorer, profile, sanity,
 * store, import, query, sql, samples, curate, label, study, first, walk, duplicates, doctor, orders, logs,
 * compare, queue, search, control, control-returns, tabular, effects or ten.
 * Measures the engine against PyTorch in the same run if the Python of WHETSTONE_PYTHON (else python3) has it.
 * README.md says what each measures, and its options. With `--json` the last line of standard output is one JSON
 * value. Benchmarks are not tests: nothing here passes or fails.
 */
import { availableParallelism } from 'node:os';
import { parseArgs } from 'node:util';
import { measureDuplicates } from './duplicates.ts';
import { measureGeneration } from './generate.ts';
import { profileGeneration, profileTraining } from './profile.ts';
import { measureOrders } from './orders.ts';
import { measureSanity } from './sanity.ts';
import { measureRl } from './rl.ts';
import { measureScoring } from './score.ts';
import { measureImport } from './import.ts';
import { measureStore } from './store.ts';
import { isConfig, sizes, type Config } from './sizes.ts';
import { measureStudy } from './study.ts';
import { measureTraining } from './train.ts';

const { values: given, positionals } = parseArgs({
  allowPositionals: true,
  options: {
    config: { type: 'string', default: 'a' },
    vs: { type: 'string', default: 'torch' },
    against: { type: 'string' },
    threads: { type: 'string', default: `${Math.min(2, availableParallelism())}` },
    pairs: { type: 'string' },
    batch: { type: 'string', default: '1,16,64' },
    sequences: { type: 'string', default: '10000' },
    of: { type: 'string', default: 'train' },
    json: { type: 'boolean', default: false },
    only: { type: 'string' },
    seeds: { type: 'string' },
    seed: { type: 'string', default: '0' },
    labels: { type: 'string' },
    steps: { type: 'string' },
    mb: { type: 'string', default: '1000' },
    documents: { type: 'string', default: '100000' },
    model: { type: 'string' },
    rows: { type: 'string' },
    write: { type: 'boolean', default: false },
    quick: { type: 'boolean', default: false },
    runs: { type: 'string', default: '64' },
    points: { type: 'string', default: '1000000' },
  },
});

const fail = (message: string): never => {
  console.error(message);
  process.exit(2);
};
const count = (name: string, value: string): number =>
  /^[1-9]\d*$/.test(value) ? Number(value) : fail(`--${name} ${value} is not a number from 1 up.`);
/** Comma-separated whole numbers, 0 included. */
const seedsOf = (value: string): number[] =>
  value
    .split(',')
    .map((seed) =>
      /^\d{1,9}$/.test(seed) ? Number(seed) : fail(`--seeds ${value} are no whole numbers between commas.`),
    );
const config: Config = isConfig(given.config)
  ? given.config
  : fail(`There is no model '${given.config}'; there are ${Object.keys(sizes).join(', ')}.`);
const threads = count('threads', given.threads);
const pairs = (usual: number) => (given.pairs === undefined ? usual : count('pairs', given.pairs));
const batches = given.batch.split(',').map((batch) => count('batch', batch));
const versus = <const V extends string>(...known: V[]): V =>
  known.find((name) => name === given.vs) ??
  fail(`This compares with ${known.join(' or ')}, not with '${given.vs}'.`);

const benches: Readonly<Record<string, () => Promise<unknown>>> = {
  train: () => measureTraining({ config, vs: versus('torch', 'torch-compile'), threads, pairs: pairs(7) }),
  generate: () => measureGeneration({ config, batches, threads, pairs: pairs(5) }),
  sampling: async () =>
    (await import('./sampling.ts')).measureSampling({ config, batches, threads, pairs: pairs(5) }),
  rl: async () =>
    given.against === undefined
      ? measureRl({ config, vs: versus('torch', 'trl'), threads, pairs: pairs(5) })
      : (await import('./against.ts')).measureAgainst({
          config,
          other: given.against,
          threads,
          pairs: pairs(15),
        }),
  scorer: async () => (await import('./scorer.ts')).measureScorer(given.config === 'a' ? 'small' : config),
  score: () => measureScoring({ config, threads, sequences: count('sequences', given.sequences) }),
  sanity: () => measureSanity({ threads, only: given.only, write: given.write }),
  store: () => measureStore(),
  import: () => measureImport({ mb: count('mb', given.mb) }),
  query: async () =>
    (await import('./query.ts')).measureQueries({ count: count('rows', given.rows ?? '1000000') }),
  sql: async () => (await import('./sql.ts')).measureSql({ count: count('rows', given.rows ?? '100000') }),
  samples: async () =>
    (await import('./samples.ts')).measureSamples({ count: count('rows', given.rows ?? '1000000') }),
  curate: async () =>
    (await import('./curate.ts')).measureCuration({ rows: count('rows', given.rows ?? '100000') }),
  control: async () =>
    (await import('./control.ts')).measureControl({
      copies: batches[batches.length - 1],
      pairs: pairs(5),
      isQuick: config === 'tiny',
    }),
  'control-returns': async () =>
    (await import('./control-returns.ts')).measureControlReturns({
      seeds: seedsOf(given.seeds ?? '1,2,3'),
      only: given.only,
      isQuick: config === 'tiny' || given.quick,
    }),
  tabular: async () =>
    (await import('./tabular.ts')).measureTabular({
      steps: count('steps', given.steps ?? (config === 'tiny' ? '300' : '20000')),
      seeds: count('seeds', given.seeds ?? (config === 'tiny' ? '2' : '5')),
      only: given.only?.split(','),
    }),
  label: async () => (await import('./label.ts')).measureLabeling({ items: pairs(1000) }),
  study: () => measureStudy({ seed: given.seed === '0' ? 0 : count('seed', given.seed) }),
  effects: async () =>
    (await import('./effects.ts')).measureEffects({
      seeds: count('seeds', given.seeds ?? '5'),
      only: given.only,
      isQuick: config === 'tiny' || given.quick,
    }),
  ten: async () =>
    (await import('./ten.ts')).measureTen({
      seeds: seedsOf(given.seeds ?? '1,2,3,4,5'),
      only: given.only,
      isQuick: config === 'tiny' || given.quick,
    }),
  first: async () =>
    (await import('./first.ts')).measureFirst({
      seeds: seedsOf(given.seeds ?? '0,1,2'),
      labels: count('labels', given.labels ?? '200'),
      steps: given.steps === undefined ? undefined : count('steps', given.steps),
      tiny: config === 'tiny',
    }),
  compare: async () =>
    (await import('./compare.ts')).measureCompare({
      runs: count('runs', given.runs),
      points: count('points', given.points),
      steps: count('steps', given.steps ?? '300'),
    }),
  walk: async () =>
    (await import('./walk.ts')).measureWalk({
      rows: config === 'tiny' ? 1000 : 100_000,
      tiny: config === 'tiny',
    }),
  logs: async () =>
    (await import('./logs.ts')).measureLogs({ points: count('rows', given.rows ?? '1000000') }),
  queue: async () =>
    (await import('./queue.ts')).measureQueue({ steps: count('steps', given.steps ?? '600') }),
  search: async () =>
    (await import('./search.ts')).measureSearch({
      threads,
      seed: given.seed === '0' ? 0 : count('seed', given.seed),
      tiny: config === 'tiny',
    }),
  duplicates: () =>
    measureDuplicates({
      documents: count('documents', given.documents),
      seed: given.seed === '0' ? 0 : count('seed', given.seed),
    }),
  doctor: async () =>
    (await import('./doctor.ts')).measureDoctor({ threads, only: given.only, isQuick: config === 'tiny' }),
  orders: () =>
    measureOrders({
      model: given.model,
      threads,
      seeds: seedsOf(given.seeds ?? '0,1,2,3,4'),
      noise: 0.1,
      batch: 20,
      most: count('labels', given.labels ?? '640'),
    }),
  profile: () =>
    given.of === 'generate'
      ? profileGeneration({ config, threads, batch: batches[batches.length - 1] })
      : profileTraining({ config, threads, steps: pairs(8) }),
};

const [name = 'train', ...others] = positionals;
if (!(name in benches) || others.length > 0)
  fail(`There is no benchmark '${positionals.join(' ')}'; there are ${Object.keys(benches).join(', ')}.`);
const figures = await benches[name]();
if (given.json) console.log(JSON.stringify(figures));
