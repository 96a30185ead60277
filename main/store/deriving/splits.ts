import { WhetstoneError } from '../../../engine/common/errors.ts';
import {
  assignParts,
  leakage,
  nearDuplicates,
  splitSide,
  type Leak,
  type SplitRow,
} from '../../../engine/row-tools.ts';
import type { CurationEvent } from '../../../preload/contract/curation.ts';
import { SplitSpec, type Split, type SplitLeakage } from '../../../preload/contract/splits.ts';
import { found, type StoreContext } from '../context.ts';
import { eventOf, numberOf, refuseWhileChanging, shownEvent, stacksOf, storeEvent } from '../curation/log.ts';
import { markedRows, toggleMark } from '../curation/marks.ts';
import { changesOf } from '../curation/versions.ts';
import type { Db } from '../database.ts';
import { rowColumns, type StoredRow } from '../dataset-row.ts';
import { canonicalJson } from '../json.ts';
import { Bits } from '../rows/bits.ts';
import { sizeOf } from '../rows/fill.ts';
import { openTable } from '../rows/index.ts';
import type { Sliced } from '../slices.ts';
import { cellOf, emptyColumn } from './cells.ts';

/** The rows of each part of a split, and the state of the dataset that they were found in. */
export interface Assignment {
  readonly size: number;
  readonly parts: readonly Uint32Array<ArrayBuffer>[];
  readonly changes: string;
}
interface InForce {
  readonly spec: SplitSpec;
  readonly sequence: number;
}

/** Number of rows read in one step. */
const some = 200;
/** Most groups of leaked rows in an answer. */
const mostGroups = 100;

const markName = (part: string): string => `split:${part}`;

/** Splits of datasets: a split is a step of the curation, which marks the rows of each part. */
export const splitQueries = ({ db }: StoreContext) => ({
  list(id: string): Split[] {
    const number = numberOf(db, id);
    const size = sizeOf(db, id);
    const excluded = markedRows(db, number, 'excluded', size);
    const rows = db.prepare<[string], number>('select rows from datasets where id = ?').pluck().get(id) ?? 0;
    return inForce(db, id).map(({ spec, sequence }) => {
      const parts = spec.parts.map(({ name }) => ({
        name,
        rows: markedRows(db, number, markName(name), size).without(excluded),
      }));
      const assigned = parts.reduce((all, part) => all.or(part.rows), new Bits(size));
      const { author, at } = eventOf(db, sequence);
      return {
        spec,
        sequence,
        author,
        at,
        parts: parts.map((part) => ({ name: part.name, rows: part.rows.count })),
        unassigned: rows - excluded.count - assigned.count,
      };
    });
  },

  /** The part of every row, those that are excluded too, so that none moves when it is restored. */
  *assign(id: string, spec: SplitSpec): Sliced<Assignment> {
    refuseWhileChanging(db, id);
    const changes = changesOf(db, id);
    const number = numberOf(db, id);
    const size = sizeOf(db, id);
    const isSame = inForce(db, id).some((each) => canonicalJson(each.spec) === canonicalJson(spec));
    const before = spec.parts.map(({ name }) =>
      isSame ? markedRows(db, number, markName(name), size) : new Bits(size),
    );
    const { rows, keys, strata } = yield* readKeys(db, id, spec);
    const splitRows = rows.map((row, at): SplitRow => ({
      group: keys[at],
      stratum: strata ? (strata[at] ?? '') : null,
      part: before.findIndex((bits) => bits.has(row)),
    }));
    const assigned = assignParts(splitRows, spec.parts, spec.seed);
    const parts = spec.parts.map(() => new Bits(size));
    for (const [at, row] of rows.entries()) parts[assigned[at]].add(row);
    return { size, parts: parts.map(({ words }) => words), changes };
  },

  /** Stores an assignment as one step; null if all rows are in their part already. */
  apply(
    id: string,
    spec: SplitSpec,
    { size, parts, changes }: Assignment,
    author: string,
  ): CurationEvent | null {
    const number = numberOf(db, id);
    refuseWhileChanging(db, id);
    if (changesOf(db, id) !== changes)
      throw new WhetstoneError('conflict', 'The rows were changed while the split was made.', {
        where: id,
        hint: 'Make it again.',
      });
    const others = inForce(db, id);
    refuseTaken(
      spec,
      others.filter((each) => each.spec.name !== spec.name),
    );
    const wanted = new Map(spec.parts.map(({ name }, at) => [name, new Bits(size, parts[at])]));
    for (const { spec: old } of others.filter((each) => each.spec.name === spec.name))
      for (const { name } of old.parts) if (!wanted.has(name)) wanted.set(name, new Bits(size));
    const toggled = [...wanted].map(([name, rows]) => ({
      name: markName(name),
      rows: rows.xor(markedRows(db, number, markName(name), size)),
    }));
    const changed = toggled.reduce((all, { rows }) => all.or(rows), new Bits(size));
    if (changed.isEmpty) return null;
    const sequence = db.transaction(() => {
      const event = {
        dataset_id: id,
        event: 'split' as const,
        field: spec.name,
        value: JSON.stringify(spec),
      };
      const made = storeEvent(db, { ...event, undoes: null, query: null, author, rows: changed.count }, true);
      for (const { name, rows } of toggled) if (!rows.isEmpty) toggleMark(db, number, made, name, rows);
      return made;
    })();
    return shownEvent(db, sequence);
  },

  /** Keys and prompts that are in several parts of a split. */
  *leakage(id: string, name: string): Sliced<SplitLeakage> {
    const number = numberOf(db, id);
    const split = found(
      inForce(db, id).find(({ spec }) => spec.name === name),
      'split',
      name,
    );
    const size = sizeOf(db, id);
    const excluded = markedRows(db, number, 'excluded', size);
    const parts = split.spec.parts.map((part) => ({
      name: part.name,
      rows: markedRows(db, number, markName(part.name), size).without(excluded),
    }));
    const partOf = (row: number): number => parts.findIndex(({ rows }) => rows.has(row));
    const { rows, keys } = yield* readKeys(db, id, { ...split.spec, stratify: null });
    const partsOfKey = new Map<string, Set<number>>();
    for (const [at, row] of rows.entries()) {
      const part = partOf(row);
      if (part >= 0) partsOfKey.set(keys[at], (partsOfKey.get(keys[at]) ?? new Set()).add(part));
    }
    const leaks = yield* leaksBetween(db, id, parts);
    return {
      keys: [...partsOfKey.values()].filter((each) => each.size > 1).length,
      equal: leaks.filter(({ exact }) => exact).length,
      near: leaks.filter(({ exact }) => !exact).length,
      groups: leaks.slice(0, mostGroups).map(({ sides, exact }) => ({
        isEqual: exact,
        parts: sides.map((side) => ({ name: side.name, rows: side.rows.map(Number) })),
      })),
    };
  },
});

/** The splits that hold, each as its newest step made it. */
function inForce(db: Db, id: string): readonly InForce[] {
  const applied = new Set(stacksOf(db, id).applied);
  const events = db
    .prepare<[string], { sequence: number; value: string }>(
      "select sequence, value from curation_events where dataset_id = ? and event = 'split' and visible = 1 order by sequence",
    )
    .all(id)
    .filter(({ sequence }) => applied.has(sequence))
    .map(({ sequence, value }): InForce => ({ sequence, spec: SplitSpec.parse(JSON.parse(value)) }));
  return [...new Map(events.map((each) => [each.spec.name, each])).values()];
}

/** Throws `conflict` if another split has a part of one of these names. */
function refuseTaken(spec: SplitSpec, others: readonly InForce[]): void {
  for (const { name } of spec.parts) {
    const other = others.find((each) => each.spec.parts.some((part) => part.name === name));
    if (other)
      throw new WhetstoneError('conflict', `The split '${other.spec.name}' has a part '${name}' already.`, {
        where: name,
        hint: `Use other names of parts, or name this split '${other.spec.name}' to replace that one.`,
      });
  }
}

interface Keys {
  readonly rows: readonly number[];
  readonly keys: readonly string[];
  readonly strata: readonly (string | null)[] | null;
}

/** The key of each row, and its value in the column of the strata. A row without a key has that of its prompt. */
function* readKeys(db: Db, id: string, { by, stratify }: Pick<SplitSpec, 'by' | 'stratify'>): Sliced<Keys> {
  const isColumn = by !== 'prompt' && by !== 'near-duplicates';
  const [keyOf, stratumOf] = [isColumn ? cellOf(by) : null, stratify === null ? null : cellOf(stratify)];
  const [rows, keys, strata]: [number[], string[], (string | null)[]] = [[], [], []];
  let [hasKey, hasStratum] = [false, false];
  for (const row of rowsIn(db, id)) {
    const [key, stratum] = [keyOf?.(row) ?? null, stratumOf?.(row) ?? null];
    hasKey ||= key !== null;
    hasStratum ||= stratum !== null;
    rows.push(row.row);
    keys.push(key === null ? `prompt\u0000${row.prompt_id}` : `value\u0000${key}`);
    strata.push(stratum);
    if (rows.length % some === 0) yield;
  }
  if (isColumn && !hasKey && rows.length > 0) throw emptyColumn(by, (yield* openTable(db, id)).extras);
  if (stratify !== null && !hasStratum && rows.length > 0)
    throw emptyColumn(stratify, (yield* openTable(db, id)).extras);
  const clustered = by === 'near-duplicates' ? yield* byCluster(db, id, rows, keys) : keys;
  return { rows, keys: clustered, strata: stratify === null ? null : strata };
}

/** Rows in order. Texts that are needed later are read again, so that they are never all in memory. */
function* rowsIn(db: Db, id: string): Generator<StoredRow> {
  const page = db.prepare<[string, number, number], StoredRow>(
    `select ${rowColumns} from dataset_rows where dataset_id = ? and row >= ? and row < ?`,
  );
  const size = sizeOf(db, id);
  for (let from = 0; from < size; from += some) yield* page.all(id, from, from + some);
}

/** The prompts of rows, each once: with the first row that has it. */
function firstRows(rows: readonly number[], keys: readonly string[]): Map<string, number> {
  const first = new Map<string, number>();
  for (const [at, key] of keys.entries()) if (!first.has(key)) first.set(key, rows[at]);
  return first;
}

const promptReader = (db: Db, id: string): ((row: number) => string) => {
  const read = db
    .prepare<[string, number], string>('select prompt from dataset_rows where dataset_id = ? and row = ?')
    .pluck();
  return (row) => read.get(id, row) ?? '';
};

/** Keys of prompts, those of nearly equal ones replaced by that of the first. */
function* byCluster(db: Db, id: string, rows: readonly number[], keys: readonly string[]): Sliced<string[]> {
  const first = [...firstRows(rows, keys)];
  const prompt = promptReader(db, id);
  const work = nearDuplicates({ count: first.length, text: (at) => prompt(first[at][1]) });
  for (;;) {
    const step = work.next();
    if (step.done) {
      const same = new Map<string, string>();
      for (const cluster of step.value.clusters)
        for (const at of cluster.rows) same.set(first[at][0], first[cluster.rows[0]][0]);
      return keys.map((key) => same.get(key) ?? key);
    }
    yield;
  }
}

/** Equal and nearly equal prompts of different parts; the ids of rows are their numbers. */
function* leaksBetween(
  db: Db,
  id: string,
  parts: readonly { readonly name: string; readonly rows: Bits }[],
): Sliced<Leak[]> {
  const prompt = promptReader(db, id);
  const promptIds = db
    .prepare<[string, number], string>('select prompt_id from dataset_rows where dataset_id = ? and row = ?')
    .pluck();
  const sides = parts.map(({ name, rows }) => {
    const first = new Map<string, number>();
    for (const row of rows) {
      const key = promptIds.get(id, row);
      if (key !== undefined && !first.has(key)) first.set(key, row);
    }
    const own = [...first.values()];
    return {
      ...splitSide(name, []),
      count: own.length,
      text: (at: number) => prompt(own[at]),
      id: (at: number) => String(own[at]),
    };
  });
  const work = leakage(sides);
  for (;;) {
    const step = work.next();
    if (step.done) return step.value;
    yield;
  }
}
