import { WhetstoneError } from '../../engine/common/errors.ts';
import type { Dataset } from '../../preload/contract/datasets.ts';
import type {
  DerivingProgress,
  Recipe,
  RecipePlan,
  RebuildProgress,
} from '../../preload/contract/deriving.ts';
import type { OpenServices } from '../headless/open.ts';
import { openServices } from '../headless/open.ts';
import {
  columns,
  number,
  onInterrupt,
  parseNumberFlag,
  text,
  workspaceOption,
  type Answer,
  type Command,
  type Values,
  datasetFirst,
} from './command.ts';
import { throttled } from './progress.ts';

type Log = (text: string) => void;
type Api = OpenServices['api'];

/** Waits for the last value of a feed of copies; Ctrl+C takes everything back. */
async function copied<T extends DerivingProgress | RebuildProgress>(
  open: (signal: AbortSignal) => AsyncIterable<T>,
  log: Log,
): Promise<Extract<T, { state: 'done' }>> {
  const stop = new AbortController();
  const release = onInterrupt(() => stop.abort());
  const say = throttled(log);
  try {
    for await (const progress of open(stop.signal)) {
      if (progress.state === 'done') return progress as Extract<T, { state: 'done' }>;
      say(`copy: ${progress.done} of ${progress.total} rows`);
    }
  } finally {
    release();
  }
  throw new WhetstoneError('cancelled', 'This was cancelled, and no part of it was kept.');
}

/** What a recipe takes, as lines of text. */
const planLines = ({ rows, sources, strata, notes }: RecipePlan): string[] => [
  ...(sources.length > 1 ? sources.map(({ name, size, drawn }) => `${name}: ${drawn} of ${size} rows`) : []),
  ...strata.map(({ value, size, drawn }) => `${value ?? '(none)'}: ${drawn} of ${size} rows`),
  ...notes,
  `${rows} rows`,
];

const made = (dataset: Dataset): Answer => ({
  value: dataset,
  text: `${dataset.name}: ${dataset.rows} rows, ${dataset.id}`,
});

/** Prints what a recipe takes, then makes the dataset; with `--plan` only prints. */
async function make(api: Api, recipe: Recipe, values: Values, log: Log): Promise<Answer> {
  const plan = await api.deriving.plan({ recipe });
  if (values.plan === true) return { value: plan, text: planLines(plan).join('\n') };
  planLines(plan).forEach(log);
  const input = { recipe, name: text(values, 'name'), author: String(values.author ?? '') };
  const { dataset } = await copied((signal) => api.deriving.make(input, signal), log);
  return made(dataset);
}

async function withApi<T>(values: Values, action: (api: Api) => Promise<T>): Promise<T> {
  const bench = await openServices({ workspacePath: text(values, 'workspace') });
  try {
    return await action(bench.api);
  } finally {
    await bench.close();
  }
}

const makingOptions = {
  ...workspaceOption,
  name: { type: 'string' },
  author: { type: 'string' },
  plan: { type: 'boolean' },
} as const;
const sourceOptions = {
  query: { type: 'string' },
  as: { type: 'string' },
  marks: { type: 'boolean' },
} as const;

const fromOf = (datasetId: string, { query, as }: Values) => ({
  datasetId,
  query: String(query ?? ''),
  ...(as !== undefined && { version: String(as) }),
});

const seedOf = (values: Values): number =>
  number(values, 'seed', { fallback: 0, least: 0, most: 0xffff_ffff, whole: true });

export const deriveCommand: Command = {
  name: 'derive',
  usage:
    'DATASET --workspace DIR --name NAME [--query QUERY] [--as VERSION] [--columns A,B] [--marks] [--plan]',
  summary:
    'Make a dataset of the rows that match a query, now or in a saved version, with their lines and columns ' +
    '(--columns: only these extra ones) and, with --marks, their tags, flags and splits. --plan only counts them.',
  example: "DATASET --workspace my-work --query 'right -tag:dup' --name clean",
  positionals: { least: 1, most: 1 },
  names: datasetFirst,
  options: { ...makingOptions, ...sourceOptions, columns: { type: 'string' } },
  run: ({ positionals: [id], values, log }) =>
    withApi(values, (api) => {
      const kept =
        values.columns === undefined ? undefined : String(values.columns).split(',').filter(Boolean);
      const recipe: Recipe = {
        kind: 'query',
        from: fromOf(id, values),
        marks: values.marks === true,
        ...(kept && { columns: kept }),
      };
      return make(api, recipe, values, log);
    }),
};

/** `--given 3=100 --given 4=50`. Throws `invalid-input` for anything else. */
const givenOf = ({ given }: Values): Record<string, number> =>
  Object.fromEntries(
    (given === undefined ? [] : [given].flat().map(String)).map((each): [string, number] => {
      const at = each.lastIndexOf('=');
      if (at < 0)
        throw new WhetstoneError('invalid-input', `'${each}' names no value and number of rows.`, {
          where: '--given',
          hint: 'Write --given value=100.',
        });
      return [
        each.slice(0, at),
        parseNumberFlag('given', each.slice(at + 1), { least: 0, most: 1e7, whole: true }),
      ];
    }),
  );

function sampleOf(id: string, values: Values): Extract<Recipe, { kind: 'sample' }> {
  const given = givenOf(values);
  const allocation = Object.keys(given).length > 0 ? 'given' : String(values.allocation ?? 'proportional');
  if (allocation !== 'given' && allocation !== 'equal' && allocation !== 'proportional')
    throw new WhetstoneError('invalid-input', `There is no allocation '${allocation}'.`, {
      where: '--allocation',
      hint: 'Use proportional, equal, or --given value=rows.',
    });
  const rows = number(values, 'rows', { fallback: 0.1, least: 0, openLeast: true, most: 1e7 });
  if (rows >= 1 && !Number.isInteger(rows))
    parseNumberFlag('rows', String(rows), { least: 1, most: 1e7, whole: true });
  return {
    kind: 'sample',
    from: fromOf(id, values),
    by: values.by === undefined ? null : String(values.by),
    rows,
    allocation,
    given,
    seed: seedOf(values),
    marks: values.marks === true,
  };
}

export const sampleCommand: Command = {
  name: 'sample',
  usage:
    'DATASET --workspace DIR (--name NAME | --tag TAG | --plan) [--rows N] [--by COLUMN] [--allocation equal] ' +
    '[--given VALUE=N]… [--query QUERY] [--as VERSION] [--seed N] [--marks]',
  summary:
    'Draw rows of a dataset, --rows of them (a share if below 1), by the values of a column: proportional, equal, ' +
    'or given numbers; as a new dataset, or tagged.',
  example: 'DATASET --workspace my-work --rows 500 --by level --allocation equal --seed 1 --name pilot',
  positionals: { least: 1, most: 1 },
  names: datasetFirst,
  options: {
    ...makingOptions,
    ...sourceOptions,
    tag: { type: 'string' },
    rows: { type: 'string' },
    by: { type: 'string' },
    allocation: { type: 'string' },
    given: { type: 'string', multiple: true },
    seed: { type: 'string' },
  },
  async run({ positionals: [id], values, log }) {
    const recipe = sampleOf(id, values);
    return await withApi(values, async (api) => {
      if (values.tag === undefined || values.plan === true) return await make(api, recipe, values, log);
      const tag = String(values.tag);
      const value = await api.deriving.tag({ recipe, tag, author: String(values.author ?? '') });
      return { value, text: value ? `${value.rows} rows tagged ${tag}` : 'These rows have the tag already.' };
    });
  },
};

/** `ID`, `ID=2` or `ID@version=2`: a dataset with its weight. */
function weighted(given: string, query: string): Extract<Recipe, { kind: 'mixture' }>['from'][number] {
  const [, datasetId, version, weight = '1'] = /^([^@=]+)(?:@(.+?))?(?:=([^=]*))?$/.exec(given) ?? [];
  if (datasetId === undefined)
    throw new WhetstoneError('invalid-input', `'${given}' names no dataset and weight.`, {
      where: given,
      hint: 'Write DATASET=2, or DATASET@VERSION=2.',
    });
  return {
    datasetId,
    query,
    weight: parseNumberFlag('weight', weight, { least: 0, openLeast: true, most: 1e6 }),
    ...(version !== undefined && { version }),
  };
}

export const mixCommand: Command = {
  name: 'mix',
  usage:
    'DATASET[@VERSION][=WEIGHT]… --workspace DIR --name NAME [--rows N] [--repeat] [--query QUERY]… [--seed N] ' +
    '[--column NAME] [--plan]',
  summary:
    'Mix datasets by weight into a new one of so many rows (else the most without repetition), shuffled; a column ' +
    'names the dataset of each row. --repeat draws rows of a small one more than once. One --query for each dataset.',
  example: 'DATASET=3 DATASET=1 --workspace my-work --rows 2000 --repeat --name mixed',
  positionals: { least: 1, most: 64 },
  names: [{ kind: 'dataset', from: 0, to: 63, until: /[@=]/ }],
  options: {
    ...makingOptions,
    rows: { type: 'string' },
    repeat: { type: 'boolean' },
    query: { type: 'string', multiple: true },
    seed: { type: 'string' },
    column: { type: 'string' },
  },
  async run({ positionals, values, log }) {
    const queries = values.query === undefined ? [] : [values.query].flat().map(String);
    if (queries.length > positionals.length)
      throw new WhetstoneError('invalid-input', 'There are more queries than datasets.', {
        where: '--query',
      });
    const recipe: Recipe = {
      kind: 'mixture',
      from: positionals.map((given, at) => weighted(given, queries.at(at) ?? '')),
      rows:
        values.rows === undefined
          ? null
          : number(values, 'rows', { fallback: 1, least: 1, most: 1e7, whole: true }),
      repeats: values.repeat === true,
      column: text(values, 'column', 'mixture'),
      seed: seedOf(values),
    };
    return await withApi(values, (api) => make(api, recipe, values, log));
  },
};

/** Makes a derived dataset again from its parents, and compares it. */
export async function rebuilt(api: Api, id: string): Promise<Answer> {
  const { rebuilt: value } = await copied(
    (signal) => api.deriving.rebuild({ id }, signal),
    () => undefined,
  );
  const same = value.isSame ? 'as it was made' : 'not as it was made';
  return { value, text: columns([[`${value.rows} rows`, value.hash, same]]), exit: value.isSame ? 0 : 1 };
}
