import { WhetstoneError } from '../../engine/common/errors.ts';
import type { ColumnDefinition } from '../../preload/contract/columns.ts';
import { columnText } from '../../preload/wire/column-text.ts';
import { openServices } from '../headless/open.ts';
import type { Services } from '../services/services.ts';
import {
  datasetFirst,
  number,
  onInterrupt,
  text,
  workspaceOption,
  type Command,
  type Values,
} from './command.ts';
import { workspaceModel } from './model-option.ts';
import { throttled } from './progress.ts';

/** A reward's id, or its JSON with parameters. */
export function rewardOf(given: string): { id: string; params: Record<string, unknown> } {
  if (!given.trimStart().startsWith('{'))
    return { id: /^[\w-]+$/.test(given) ? named(given) : given, params: {} };
  try {
    const { id, params = {} } = JSON.parse(given) as { id: string; params?: Record<string, unknown> };
    return { id, params };
  } catch (error) {
    throw new WhetstoneError(
      'invalid-input',
      `The reward is not JSON: ${WhetstoneError.from(error).message}`,
      {
        where: '--reward',
        hint: 'For example match/exact, or {"id": "match/numeric", "params": {}}.',
      },
    );
  }
}

const matches = ['numeric', 'normalised', 'exact', 'choice', 'pattern', 'json-schema', 'unit-test'];
/** Verifiers may be named without `match/`. */
const named = (id: string): string => (matches.includes(id) ? `match/${id}` : id);

/** How a policy answers, by the flags. `samples`: answers to each prompt, unless the flags say it. */
export const samplingOf = (values: Values, samples: number) => ({
  samples: number(values, 'samples', { fallback: samples, least: 1, most: 256, whole: true }),
  temperature: number(values, 'temperature', { fallback: 1, least: 0, most: 5 }),
  maxTokens: number(values, 'max-tokens', { fallback: 64, least: 1, most: 8192, whole: true }),
  seed: number(values, 'seed', { fallback: 0, least: 0, most: 0xffff_ffff, whole: true }),
});

/** The numbers among the flags. Throws `invalid-input`, whatever the column is computed by. */
const numbersOf = (values: Values) => ({
  sampling: samplingOf(values, 4),
  timeMs: number(values, 'time-ms', { fallback: 200, least: 10, most: 5000, whole: true }),
  clusters: number(values, 'cluster', { fallback: 8, least: 2, most: 256, whole: true }),
});

/** The one definition that the flags name. */
async function definitionOf(services: Services, values: Values): Promise<ColumnDefinition> {
  const given = (
    ['code', 'reward', 'model', 'perplexity', 'pass-rate', 'spread', 'cluster', 'map'] as const
  ).filter((name) => values[name] !== undefined);
  const kinds = given.filter(
    (name) => name !== 'reward' || !given.some((each) => each === 'pass-rate' || each === 'spread'),
  );
  if (kinds.length !== 1)
    throw new WhetstoneError(
      'invalid-input',
      `A column is computed in one way, and ${kinds.length} were given.`,
      {
        where: 'column',
        hint: 'Give one of --code, --reward, --model, --perplexity, --pass-rate, --spread, --cluster and --map.',
      },
    );
  const [by] = kinds;
  const { sampling, timeMs, clusters } = numbersOf(values);
  if (by === 'code') return { by, code: text(values, 'code'), timeMs };
  if (by === 'reward') return { by, reward: rewardOf(text(values, 'reward')) };
  if (by === 'cluster') return { by, clusters, seed: sampling.seed };
  if (by === 'map') return { by };
  const model = await workspaceModel(services, text(values, by));
  if (by === 'model' || by === 'perplexity') return { by, model };
  return { by, model, reward: rewardOf(text(values, 'reward')), ...sampling };
}

const string = { type: 'string' } as const;

export const columnCommand: Command = {
  name: 'column',
  usage:
    'DATASET --name NAME --workspace DIR (--code JS | --reward ID | --model CHECKPOINT | --perplexity CHECKPOINT | ' +
    '--pass-rate CHECKPOINT --reward ID | --spread CHECKPOINT --reward ID | --cluster N | --map) [--query QUERY] ' +
    '[--samples N] [--temperature T] [--max-tokens N] [--seed N] [--time-ms N] [--preview] [--author NAME]',
  summary:
    'Compute a column for the rows of a dataset: by JavaScript, a reward, a reward model, a policy, or the texts of ' +
    'all rows (clusters; a map with NAME.x and NAME.y); one step that "undo" takes back. --preview shows the first ' +
    'ten rows and stores nothing.',
  example: "DATASET --name len --code 'answer.length' --workspace my-work",
  positionals: { least: 1, most: 1 },
  names: datasetFirst,
  options: {
    ...workspaceOption,
    name: string,
    code: string,
    reward: string,
    model: string,
    perplexity: string,
    'pass-rate': string,
    spread: string,
    cluster: string,
    map: { type: 'boolean' },
    query: string,
    samples: string,
    temperature: string,
    'max-tokens': string,
    seed: string,
    'time-ms': string,
    author: string,
    preview: { type: 'boolean' },
  },
  async run({ positionals: [id], values, log }) {
    const query = String(values.query ?? '');
    numbersOf(values);
    const bench = await openServices({ workspacePath: text(values, 'workspace') });
    const stop = new AbortController();
    const release = onInterrupt(() => stop.abort());
    const progress = throttled(log);
    try {
      const definition = await definitionOf(bench.services, values);
      if (values.preview === true) {
        const value = await bench.api.columns.preview({ id, definition, query });
        const lines = value.rows.map(({ row, cell, fault }) => `${row}  ${fault ?? JSON.stringify(cell)}`);
        return { value, text: lines.join('\n') };
      }
      const name = text(values, 'name');
      const input = { id, name, definition, query, author: String(values.author ?? '') };
      for await (const each of bench.api.columns.compute(input, stop.signal)) {
        if (each.state === 'computing') progress(`column: ${each.done} of ${each.total} rows`);
        else return { value: each, text: doneText(name, definition, each), exit: each.event ? 0 : 1 };
      }
      throw new WhetstoneError('cancelled', 'The column was cancelled, and nothing of it was stored.');
    } finally {
      release();
      await bench.close();
    }
  },
};

function doneText(
  name: string,
  definition: ColumnDefinition,
  {
    event,
    rows,
    faults,
    outdated,
  }: {
    event: { sequence: number } | null;
    rows: number;
    faults: { count: number; first: { row: number; message: string } | null };
    outdated: number;
  },
): string {
  return [
    event
      ? `${name}: ${columnText(definition)}, ${rows} rows (step ${event.sequence})`
      : `${name}: no row has a value, so nothing was stored`,
    ...(faults.first
      ? [`${faults.count} rows have none; row ${faults.first.row + 1}: ${faults.first.message}`]
      : []),
    ...(outdated > 0 ? [`${outdated} rows were edited meanwhile, and have none`] : []),
  ].join('\n');
}
