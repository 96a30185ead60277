import type { Value, ValueRow } from '../../../engine/schema/row-values.ts';
import type { ColumnDefinition, ColumnProgress } from '../../../preload/contract/columns.ts';
import type { QueryRow } from '../../../preload/contract/rows.ts';
import type { EngineCall } from '../../engine-host/host.ts';
import type { Services } from '../../services/services.ts';
import { storedCells, type Cell } from '../../store/rows/computed-cells.ts';
import { cancelled, countMatching, rowsMatching, timer } from '../reading.ts';
import { clustersOf } from './clusters.ts';
import type { RowPages } from './features.ts';
import { placesOf } from './places.ts';
import { sourceOf, valueRow, type RowDefinition } from './source.ts';

export interface ComputeInput {
  readonly id: string;
  readonly name: string;
  readonly definition: ColumnDefinition;
  readonly query: string;
  readonly author: string;
}
type Done = Extract<ColumnProgress, { state: 'done' }>;
type Push = (progress: ColumnProgress) => void;

/** Cells of one column or several by row, and the rows that have none because their computation failed. */
class Computed {
  readonly columns: Cell[][] = [];
  faults = 0;
  first: { row: number; message: string } | null = null;

  set(row: number, ...values: readonly Value[]): void {
    for (const [at, value] of values.entries()) {
      const cells = (this.columns[at] ??= []);
      // a gap would make the list sparse
      while (cells.length < row) cells.push(null);
      cells[row] = value;
    }
  }

  fault(row: number, message: string): void {
    this.faults += 1;
    this.first ??= { row, message };
  }
}

/**
 * Computes a column for the rows that match a query, and stores it in one step of curation. Nothing is stored
 * until all rows are done. Throws `invalid-input` for a name that is taken and code that cannot be compiled,
 * `not-found` for a model, `cancelled`.
 */
export async function computeColumn(
  services: Services,
  { id, name, definition, query, author }: ComputeInput,
  signal: AbortSignal,
  push: Push,
): Promise<Done> {
  const { store } = services;
  await store.curation.settle(id);
  const since = await store.computed.prepare(id, name, definition);
  const total = await countMatching(store, id, query);
  const left = timer();
  const report = (done: number): void =>
    push({ state: 'computing', done, total, secondsLeft: left(total === 0 ? 1 : done / total) });
  report(0);
  const computed = new Computed();
  if (definition.by === 'cluster' || definition.by === 'map') {
    const pages = rowsMatching(store, id, query, signal);
    const found = await together(services, definition, pages, signal, report);
    for (const { row, values } of found) computed.set(row, ...values);
  } else await computeRows(services, { id, query, definition, computed, signal, report });
  if (signal.aborted) throw cancelled();
  const parts = storedCells(...computed.columns);
  const column = { name, definition, query, author, since };
  const { event, outdated } = await store.computed.add(id, column, parts);
  const done: Done = {
    state: 'done',
    event,
    rows: event?.rows ?? 0,
    faults: { count: computed.faults, first: computed.first },
    outdated,
  };
  push(done);
  return done;
}

/** Values that depend on all rows at once, from their texts. */
const together = (
  services: Services,
  definition: Extract<ColumnDefinition, { by: 'cluster' | 'map' }>,
  pages: RowPages,
  signal: AbortSignal,
  report: (done: number) => void,
): Promise<{ readonly row: number; readonly values: readonly number[] }[]> =>
  services.engine.dedicated(signal, async (call) =>
    definition.by === 'map'
      ? (await placesOf(pages, call, report)).map(({ row, x, y }) => ({ row, values: [x, y] }))
      : (await clustersOf(pages, definition, call, report)).map(({ row, cluster }) => ({
          row,
          values: [cluster],
        })),
  );

interface RowWork {
  readonly id: string;
  readonly query: string;
  readonly definition: RowDefinition;
  readonly computed: Computed;
  readonly signal: AbortSignal;
  readonly report: (done: number) => void;
}

/** Computes rows in a process of their own; rows with one prompt share what only the prompt decides. */
async function computeRows(
  services: Services,
  { id, query, definition, computed, signal, report }: RowWork,
): Promise<void> {
  const source = await sourceOf(services, definition);
  const keyOf = sharedKey(definition);
  const known = new Map<string, { value: Value; message: string | null }>();
  await services.engine.dedicated(signal, async (call) => {
    let done = 0;
    for await (const rows of rowsMatching(services.store, id, query, signal)) {
      const keys = rows.map((row) => keyOf?.(row) ?? null);
      const asked = rows.filter((_, at) => isFirst(keys, at) && !known.has(keys[at] ?? ''));
      const { values, faults } = await valuesOf(call, source, asked.map(valueRow), (some) =>
        report(done + some),
      );
      const messages = new Map(faults.map(({ row, message }) => [row, message]));
      const own = new Map(
        asked.map((row, at) => [row.row, { value: values[at], message: messages.get(at) ?? null }]),
      );
      for (const [at, row] of rows.entries()) {
        const key = keys[at];
        const found = own.get(row.row) ?? (key === null ? undefined : known.get(key));
        if (!found) continue;
        if (key !== null) known.set(key, found);
        computed.set(row.row, found.value);
        if (found.message !== null) computed.fault(row.row, found.message);
      }
      done += rows.length;
      report(done);
    }
  });
}

const isFirst = (keys: readonly (string | null)[], at: number): boolean =>
  keys[at] === null || keys.indexOf(keys[at]) === at;

/** The part of a row on which its value depends; null if it depends on all of it. */
const sharedKey = ({ by }: RowDefinition): ((row: QueryRow) => string) | null =>
  by === 'pass-rate' || by === 'spread' ? (row) => JSON.stringify([row.promptId, row.reference]) : null;

const valuesOf = (
  call: EngineCall,
  source: Awaited<ReturnType<typeof sourceOf>>,
  rows: readonly ValueRow[],
  report: (done: number) => void,
) =>
  rows.length === 0
    ? Promise.resolve({ values: [], faults: [] })
    : call('rowValues', { source, rows }, ({ done }) => report(done));

/** A number, or several as one text. */
const previewCell = (values: readonly number[]): number | string =>
  values.length === 1 ? values[0] : values.map((value) => value.toPrecision(3)).join(', ');

/** Rows of a preview. */
const previewed = 10;

/** The values of the first rows that match; nothing is stored. */
export async function previewColumn(
  services: Services,
  { id, definition, query }: Pick<ComputeInput, 'id' | 'definition' | 'query'>,
) {
  const { rows } = await services.store.rows.page({ id, query, sort: null, offset: 0, limit: previewed });
  const { signal } = new AbortController();
  const shown = rows.map(({ row, prompt, answer }) => ({ row, prompt, answer, cell: null, fault: null }));
  if (rows.length === 0) return { rows: shown };
  if (definition.by === 'cluster' || definition.by === 'map') {
    const found = await together(services, definition, [rows], signal, () => undefined);
    return { rows: shown.map((row, at) => ({ ...row, cell: previewCell(found[at].values) })) };
  }
  const source = await sourceOf(services, definition);
  const { values, faults } = await services.engine.dedicated(signal, (call) =>
    valuesOf(call, source, rows.map(valueRow), () => undefined),
  );
  const messages = new Map(faults.map(({ row, message }) => [row, message]));
  return {
    rows: shown.map((row, at) => ({ ...row, cell: values[at], fault: messages.get(at) ?? null })),
  };
}
