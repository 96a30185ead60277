import type { Db } from './database.ts';
import type { Column, Points } from './series.ts';

/** Number of tail rows that are packed into a chunk. */
export const chunkLength = 4096;

type PointRow = { attempt: number; sequence: number; step: number; at: number; value: number | null };
type ChunkRow = { attempt: number; first_sequence: number; steps: Buffer; ats: Buffer; vals: Buffer };

/** A blob as float64, copied to an aligned buffer. */
const floats = (blob: Buffer): Column => new Float64Array(new Uint8Array(blob).buffer);
const bytes = (values: Float64Array): Buffer =>
  Buffer.from(values.buffer, values.byteOffset, values.byteLength);

/**
 * Stores the points of metric series: new ones as rows (the tail), which are packed into chunks of columns
 * when there are many. NaN is stored as null.
 */
export const metricPoints = (db: Db) => {
  const insert = db.prepare('insert into metric_points values (?, ?, ?, ?, ?, ?)');
  const tailLength = db.prepare<[number, number], { n: number }>(
    'select count(*) n from metric_points where series_id = ? and attempt = ?',
  );
  const packTail = tailPacker(db);

  return {
    /** Stores one point, within the transaction that commits its event. */
    append(
      id: number,
      {
        attempt,
        sequence,
        step,
        at,
        value,
      }: { attempt: number; sequence: number; step: number; at: number; value: number },
    ): void {
      insert.run(id, attempt, sequence, step, at, Number.isNaN(value) ? null : value);
      if ((tailLength.get(id, attempt)?.n ?? 0) >= chunkLength) packTail(id, attempt);
    },

    /** All points of a series in a range of steps, by attempt, in order of arrival. */
    read: (id: number, from: number, to: number): Points[] => [
      ...chunksWithin(db, id, from, to),
      ...tailsWithin(db, id, from, to),
    ],
  };
};

/**
 * Mean of the first and of the last `count` points of a run's metric; null if it has none. Reads one chunk and
 * `count` rows at each end, whatever the series' length.
 */
export const metricEnds = (db: Db, name: string, count: number) => {
  const series = db.prepare<[string, string], { id: number }>(
    'select id from metric_series where run_id = ? and name = ? limit 1',
  );
  const at = (order: 'asc' | 'desc') => ({
    chunk: db.prepare<[number], { vals: Buffer }>(
      `select vals from metric_chunks where series_id = ?
        order by attempt ${order}, first_sequence ${order} limit 1`,
    ),
    tail: db.prepare<[number, number], { value: number | null }>(
      `select value from metric_points where series_id = ?
        order by attempt ${order}, sequence ${order} limit ?`,
    ),
  });
  const [head, foot] = [at('asc'), at('desc')];
  const average = (values: readonly number[]): number =>
    values.reduce((sum, value) => sum + value, 0) / values.length;

  return (runId: string): { first: number; last: number } | null => {
    const id = series.get(runId, name)?.id;
    if (id === undefined) return null;
    // chunks precede the tail
    const packed = head.chunk.get(id);
    const first = packed
      ? [...floats(packed.vals).subarray(0, count)]
      : head.tail.all(id, count).map(({ value }) => value ?? Number.NaN);
    const tail = foot.tail.all(id, count).map(({ value }) => value ?? Number.NaN);
    const last =
      tail.length > 0 || !packed
        ? tail
        : [...floats(foot.chunk.get(id)?.vals ?? packed.vals).subarray(-count)];
    return first.length > 0 && last.length > 0 ? { first: average(first), last: average(last) } : null;
  };
};

/** Points of one attempt that become a chunk; `sequence` is the first one's. */
export interface Chunk extends Points {
  readonly sequence: number;
}

/** Stores a chunk, with its step range and the range and sum of its finite values. */
export function chunkWriter(db: Db): (id: number, chunk: Chunk) => void {
  const insert = db.prepare('insert into metric_chunks values (?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?)');
  return (id, { attempt, sequence, steps, at, values }) => {
    const finite = values.filter(Number.isFinite);
    insert.run(
      id,
      attempt,
      sequence,
      steps.reduce((x, y) => Math.min(x, y)),
      steps.reduce((x, y) => Math.max(x, y)),
      steps.length,
      steps.length - finite.length,
      finite.length ? finite.reduce((x, y) => Math.min(x, y)) : null,
      finite.length ? finite.reduce((x, y) => Math.max(x, y)) : null,
      finite.reduce((x, y) => x + y, 0),
      bytes(steps),
      bytes(at),
      bytes(values),
    );
  };
}

/** Packs one attempt's tail into a chunk. */
function tailPacker(db: Db): (id: number, attempt: number) => void {
  const tail = db.prepare<[number, number], PointRow>(
    'select attempt, sequence, step, at, value from metric_points where series_id = ? and attempt = ? ' +
      'order by sequence',
  );
  const clearTail = db.prepare('delete from metric_points where series_id = ? and attempt = ?');
  const write = chunkWriter(db);

  return (id, attempt) => {
    const rows = tail.all(id, attempt);
    write(id, {
      attempt,
      sequence: rows[0].sequence,
      steps: Float64Array.from(rows, (r) => r.step),
      at: Float64Array.from(rows, (r) => r.at),
      values: Float64Array.from(rows, (r) => r.value ?? Number.NaN),
    });
    clearTail.run(id, attempt);
  };
}

/** Chunks that overlap a range of steps; may include points outside it. */
const chunksWithin = (db: Db, id: number, from: number, to: number): Points[] =>
  db
    .prepare<[number, number, number], ChunkRow>(
      'select attempt, first_sequence, steps, ats, vals from metric_chunks ' +
        'where series_id = ? and last_step >= ? and first_step <= ? order by attempt, first_sequence',
    )
    .all(id, from, to)
    .map((c) => ({
      attempt: c.attempt,
      steps: floats(c.steps),
      at: floats(c.ats),
      values: floats(c.vals),
    }));

/** Unpacked points in a range of steps, by attempt. */
function tailsWithin(db: Db, id: number, from: number, to: number): Points[] {
  const rows = db
    .prepare<[number, number, number], PointRow>(
      'select attempt, sequence, step, at, value from metric_points ' +
        'where series_id = ? and step >= ? and step <= ? order by attempt, sequence',
    )
    .all(id, from, to);
  return [...Map.groupBy(rows, (r) => r.attempt)].map(([attempt, own]) => ({
    attempt,
    steps: Float64Array.from(own, (r) => r.step),
    at: Float64Array.from(own, (r) => r.at),
    values: Float64Array.from(own, (r) => r.value ?? Number.NaN),
  }));
}
