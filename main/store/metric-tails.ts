import { floats } from './curves/grid.ts';
import type { Db } from './database.ts';
import type { Column, Points } from './series.ts';

/** Fewest points that a transaction stores as one batch. */
const batchLength = 8;

/** Points that a transaction adds to a series, with the sequence numbers of their events. */
export interface Added {
  readonly attempt: number;
  readonly sequences: number[];
  readonly steps: number[];
  readonly ats: number[];
  readonly values: number[];
}

/** The points of an attempt that are in no chunk yet, in order of arrival; `sequence` is the first one's. */
export interface Tail extends Points {
  readonly sequence: number;
}

type BatchRow = [sequence: number, data: Buffer];
type PointRow = [sequence: number, step: number, at: number, value: number | null];

/** Stores points as they arrive: few of a transaction as rows, many as a batch. NaN is stored as null in a row. */
export function tailWriter(db: Db): (id: number, added: Added) => void {
  const point = db.prepare('insert into metric_points values (?, ?, ?, ?, ?, ?)');
  const batch = db.prepare('insert into metric_batches values (?, ?, ?, ?, ?, ?, ?)');
  return (id, { attempt, sequences, steps, ats, values }) => {
    const count = steps.length;
    if (count < batchLength) {
      steps.forEach((step, i) => {
        point.run(id, attempt, sequences[i], step, ats[i], Number.isNaN(values[i]) ? null : values[i]);
      });
      return;
    }
    const data = new Float64Array(3 * count);
    data.set(steps);
    data.set(ats, count);
    data.set(values, 2 * count);
    const ends = [Math.min(...steps), Math.max(...steps)];
    batch.run(id, attempt, sequences[0], ...ends, count, Buffer.from(data.buffer));
  };
}

/** Reads the tail of an attempt of a series; null without one. */
export function tailReader(db: Db): (id: number, attempt: number) => Tail | null {
  const points = db
    .prepare<[number, number], PointRow>(
      'select sequence, step, at, value from metric_points where series_id = ? and attempt = ? order by sequence',
    )
    .raw();
  const batches = db
    .prepare<[number, number], BatchRow>(
      'select sequence, data from metric_batches where series_id = ? and attempt = ? order by sequence',
    )
    .raw();
  return (id, attempt) => {
    const rows = points.all(id, attempt);
    const stored = batches.all(id, attempt).map(([sequence, data]) => ({ sequence, data: floats(data) }));
    const total = stored.reduce((sum, { data }) => sum + data.length / 3, rows.length);
    if (total === 0) return null;
    const tail = {
      attempt,
      sequence: Math.min(rows[0]?.[0] ?? Infinity, stored[0]?.sequence ?? Infinity),
      steps: new Float64Array(total),
      at: new Float64Array(total),
      values: new Float64Array(total),
    };
    fill(tail, rows, stored);
    return tail;
  };
}

/** Writes rows and batches into the columns of a tail, by sequence number. */
function fill(
  { steps, at, values }: Tail,
  rows: readonly PointRow[],
  batches: readonly { readonly sequence: number; readonly data: Column }[],
): void {
  let [place, row] = [0, 0];
  for (const { sequence, data } of [...batches, { sequence: Infinity, data: new Float64Array() }]) {
    for (; row < rows.length && rows[row][0] < sequence; row += 1, place += 1) {
      steps[place] = rows[row][1];
      at[place] = rows[row][2];
      values[place] = rows[row][3] ?? Number.NaN;
    }
    const count = data.length / 3;
    steps.set(data.subarray(0, count), place);
    at.set(data.subarray(count, 2 * count), place);
    values.set(data.subarray(2 * count), place);
    place += count;
  }
}

/** Steps and number of the points of a tail; null without one. */
export interface TailExtent {
  readonly sequence: number;
  readonly first: number;
  readonly last: number;
  readonly count: number;
}

export function tailExtents(db: Db): (id: number, attempt: number) => TailExtent | null {
  const extent = db.prepare<{ id: number; attempt: number }, TailExtent & { first: number | null }>(
    `select min(sequence) sequence, min(first) first, max(last) last, sum(count) count from (
      select min(sequence) sequence, min(step) first, max(step) last, count(*) count
        from metric_points where series_id = :id and attempt = :attempt
      union all select min(sequence), min(first_step), max(last_step), coalesce(sum(count), 0)
        from metric_batches where series_id = :id and attempt = :attempt)`,
  );
  return (id, attempt) => {
    const found = extent.get({ id, attempt });
    return found?.first == null ? null : found;
  };
}

/** The smallest sequence number of an attempt's tail; infinite without one. */
export function tailStart(db: Db): (id: number, attempt: number) => number {
  const [points, batches] = ['metric_points', 'metric_batches'].map((table) =>
    db
      .prepare<[number, number], number>(
        `select sequence from ${table} where series_id = ? and attempt = ? order by sequence limit 1`,
      )
      .pluck(),
  );
  return (id, attempt) => Math.min(points.get(id, attempt) ?? Infinity, batches.get(id, attempt) ?? Infinity);
}
