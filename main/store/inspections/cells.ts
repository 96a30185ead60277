import type { Db } from '../database.ts';
import { rowColumns, type StoredRow } from '../dataset-row.ts';
import { cellOf } from '../deriving/cells.ts';
import { fromJson } from '../json.ts';
import type { Bits } from '../rows/bits.ts';
import { computedReader } from '../rows/computed-reader.ts';
import { sizeOf } from '../rows/fill.ts';
import { marksOf } from '../rows/marks.ts';
import type { Sliced } from '../slices.ts';
import type { Inspection } from './inspection.ts';
import { rowFinder, sourceOf, type PairSource } from './source.ts';

/**
 * The values of a column over pairs: those of pair i are `values[codes[j]]` for j from `offsets[i]` to
 * `offsets[i + 1]`. A pair may have none, or several (tags, labelers).
 */
export interface PairCells {
  readonly offsets: Uint32Array;
  readonly codes: Uint32Array;
  readonly values: readonly string[];
}

/** Pairs read in one slice. */
const some = 200;
/** Most distinct values that are told apart; the others count as one. */
const mostValues = 5000;
export const otherValues = '(other values)';

/** Values of a pair, by its id and the number of its verdict. */
type Read = (pairId: string, verdict: number) => readonly string[];

/** The labelers whose current labels decide a pair. */
function labelers(db: Db): Read {
  const read = db
    .prepare<[string], string>('select labeler from labeler_labels where pair_id = ? order by labeler')
    .pluck();
  return (pairId) => read.all(pairId);
}

type RowValues = (row: StoredRow) => readonly string[];

/** Messages of the user in a conversation; 1 for a row with a prompt only. */
const turns: RowValues = ({ messages }) => {
  if (messages === null) return ['1'];
  const all = fromJson<readonly { role: string }[]>(messages);
  return [String(all.filter(({ role }) => role === 'user').length)];
};

/** Tags of a row, as they are now. */
function tags(db: Db, datasetId: string): RowValues {
  const number = db
    .prepare<[string], number>('select number from dataset_numbers where dataset_id = ?')
    .pluck()
    .get(datasetId);
  const marks: [string, Bits][] = number === undefined ? [] : [...marksOf(db, number, sizeOf(db, datasetId))];
  const own = marks.filter(([name]) => name.startsWith('tag:'));
  return ({ row }) => own.filter(([, bits]) => bits.has(row)).map(([name]) => name.slice('tag:'.length));
}

function rowValues(db: Db, datasetId: string, column: string): RowValues {
  if (column === 'tag') return tags(db, datasetId);
  if (column === 'turns') return turns;
  const cell = cellOf(column);
  const computed = computedReader(db, datasetId);
  return (row) => {
    const value = cell({ ...row, extra: computed.extra(row.row, row.extra) });
    return value === null ? [] : [value];
  };
}

/**
 * Values of both rows of a pair: what they share, or for a column with one value a row the two that differ, as
 * `chosen over rejected`. Of tags, those of either row.
 */
const joined = (
  column: string,
  chosen: readonly string[],
  rejected: readonly string[],
): readonly string[] => {
  if (column === 'tag') return [...new Set([...chosen, ...rejected])];
  const [a, b] = [chosen[0], rejected[0]];
  if (a === b) return a === undefined ? [] : [a];
  return [`${a ?? '(none)'} over ${b ?? '(none)'}`];
};

function reader(db: Db, source: PairSource, column: string): Read {
  if (column === 'labeler') return source.setId === null ? () => [] : labelers(db);
  const { datasetId } = source;
  if (datasetId === null) return () => [];
  const find = rowFinder(db, source);
  const row = db.prepare<[string, number], StoredRow>(
    `select ${rowColumns} from dataset_rows where dataset_id = ? and row = ?`,
  );
  const valuesOf = rowValues(db, datasetId, column);
  const at = (number: number): readonly string[] => {
    const stored = row.get(datasetId, number);
    return stored ? valuesOf(stored) : [];
  };
  return (pairId, verdict) => {
    const rows = find(pairId, verdict);
    return rows ? joined(column, at(rows[0]), at(rows[1])) : [];
  };
}

/** Reads a column of the rows behind pairs, as the rows are now. */
export function* cellsOf(
  db: Db,
  runId: string,
  { attempt, pairs }: Inspection,
  column: string,
): Sliced<PairCells> {
  const read = reader(db, sourceOf(db, runId), column);
  const ids = db.prepare<[string, number, number, number], { pair_id: string; verdict: number }>(
    'select pair_id, verdict from inspected_pairs where run_id = ? and attempt = ? and position >= ? and position < ?',
  );
  const known = new Map<string, number>();
  const codeOf = (value: string): number => {
    const name = known.has(value) || known.size < mostValues ? value : otherValues;
    const code = known.get(name) ?? known.size;
    known.set(name, code);
    return code;
  };
  const offsets = new Uint32Array(pairs + 1);
  let codes = new Uint32Array(pairs);
  let count = 0;
  for (let from = 0; from < pairs; from += some, yield) {
    let position = from;
    for (const { pair_id: pairId, verdict } of ids.all(runId, attempt, from, from + some)) {
      for (const value of read(pairId, verdict)) {
        if (count === codes.length) {
          const wider = new Uint32Array(2 * count);
          wider.set(codes);
          codes = wider;
        }
        codes[count++] = codeOf(value);
      }
      offsets[(position += 1)] = count;
    }
  }
  return { offsets, codes: codes.slice(0, count), values: [...known.keys()] };
}
