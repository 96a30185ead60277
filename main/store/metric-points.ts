import { floats } from './curves/grid.ts';
import { buildLevels, levelWriter } from './curves/levels.ts';
import { staged, type Db } from './database.ts';
import { tailExtents, tailReader, tailStart, tailWriter, type Added } from './metric-tails.ts';
import type { Points } from './series.ts';
import type { Sliced } from './slices.ts';

/** Fewest points of a tail that are packed into a chunk, and the difference between series. */
export const chunkLength = 4096;
const spread = 32;
/** Fewest points of an ended attempt that are packed when the workspace opens. */
const leftLength = 256;

type ChunkRow = { attempt: number; first_sequence: number; steps: Buffer; ats: Buffer; vals: Buffer };

const bytes = (values: Float64Array): Buffer =>
  Buffer.from(values.buffer, values.byteOffset, values.byteLength);

/**
 * Stores the points of metric series: new ones as they arrive (the tail), which are packed into chunks of columns
 * when there are many.
 */
export const metricPoints = (db: Db) => {
  const write = tailWriter(db);
  const start = tailStart(db);
  const extent = tailExtents(db);
  const packTail = tailPacker(db);
  const tails = tailReader(db);
  const tailed = attemptsWithTails(db);

  return {
    /** Stores new points of a series, within the transaction that commits their events, and packs a long tail. */
    append(id: number, added: Added): void {
      write(id, added);
      const { attempt, sequences } = added;
      // the metrics of a run grow together: different lengths spread the packing over many transactions
      const full = chunkLength + spread * (id % 32);
      // an event has at most one point of a series, so there are no more points than sequence numbers
      const most = sequences[sequences.length - 1] - start(id, attempt) + 1;
      if (most >= full && (extent(id, attempt)?.count ?? 0) >= full) packTail(id, attempt);
    },

    /** All points of a series in a range of steps, by attempt, in order of arrival; points around it may be among them. */
    read: db.transaction((id: number, from: number, to: number): Points[] => [
      ...chunksWithin(db, id, from, to),
      ...tailed(id).flatMap((attempt) => tails(id, attempt) ?? []),
    ]),
  };
};

/** Attempts of a series that have a tail, in order. */
function attemptsWithTails(db: Db): (id: number) => number[] {
  const attempts = db
    .prepare<{ id: number }, number>(
      `select attempt from metric_points where series_id = :id
        union select attempt from metric_batches where series_id = :id order by attempt`,
    )
    .pluck();
  return (id) => attempts.all({ id });
}

/**
 * Mean of the first and of the last `count` points of a run's metric; null if it has none. Reads one chunk or tail
 * at each end, whatever the series' length.
 */
export const metricEnds = (db: Db, name: string, count: number) => {
  const series = db.prepare<[string, string], { id: number }>(
    'select id from metric_series where run_id = ? and name = ? limit 1',
  );
  const chunkAt = (order: 'asc' | 'desc') =>
    db.prepare<[number], { vals: Buffer }>(
      `select vals from metric_chunks where series_id = ?
        order by attempt ${order}, first_sequence ${order} limit 1`,
    );
  const [head, foot] = [chunkAt('asc'), chunkAt('desc')];
  const tails = tailReader(db);
  const tailed = attemptsWithTails(db);
  const average = (values: Float64Array): number =>
    values.reduce((sum, value) => sum + value, 0) / values.length;

  return (runId: string): { first: number; last: number } | null => {
    const id = series.get(runId, name)?.id;
    if (id === undefined) return null;
    const attempts = tailed(id);
    const packed = head.get(id);
    const tailOf = (attempt: number | undefined): Float64Array =>
      (attempt === undefined ? null : tails(id, attempt)?.values) ?? new Float64Array();
    // chunks precede the tail
    const first = packed ? floats(packed.vals) : tailOf(attempts[0]);
    const tail = tailOf(attempts.at(-1));
    const last = tail.length > 0 || !packed ? tail : floats(foot.get(id)?.vals ?? packed.vals);
    return first.length > 0 && last.length > 0
      ? { first: average(first.subarray(0, count)), last: average(last.subarray(-count)) }
      : null;
  };
};

/** Points of one attempt that become a chunk; `sequence` is the first one's. */
export interface Chunk extends Points {
  readonly sequence: number;
}

/** Stores a chunk, with its step range and the range and sum of its finite values. */
export function chunkWriter(db: Db): (id: number, chunk: Chunk) => void {
  const insert = db.prepare('insert into metric_chunks values (?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?)');
  const writeLevels = levelWriter(db);
  return (id, chunk) => {
    const { attempt, sequence, steps, at, values } = chunk;
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
    writeLevels(id, chunk);
  };
}

/**
 * Packs tails that ended attempts have left, and builds the levels of chunks of earlier versions; in the
 * background, after the workspace has opened.
 */
export function* tidyCurves(db: Db): Sliced<void> {
  const next = db
    .prepare<[number], number>(
      `select s.id from metric_series s join runs r on r.id = s.run_id
        where s.id > ? and r.visible = 1 and r.state not in ('running', 'stopping') order by s.id limit 1`,
    )
    .pluck();
  const tailed = attemptsWithTails(db);
  const extent = tailExtents(db);
  const packTail = tailPacker(db);
  for (let id = next.get(-1); id !== undefined; id = next.get(id)) {
    const series = id;
    for (const attempt of tailed(series))
      if ((extent(series, attempt)?.count ?? 0) >= leftLength) staged(db, () => packTail(series, attempt));
    yield;
  }
  const chunk = db.prepare<[number, number, number], ChunkRow>(
    'select * from metric_chunks where series_id = ? and attempt = ? and first_sequence = ?',
  );
  yield* buildLevels(db, (id, attempt, sequence) => {
    const { steps, ats, vals } = chunk.get(id, attempt, sequence) ?? { steps: none, ats: none, vals: none };
    return { attempt, sequence, steps: floats(steps), at: floats(ats), values: floats(vals) };
  });
}
const none = Buffer.alloc(0);

/** Packs one attempt's tail into a chunk. */
function tailPacker(db: Db): (id: number, attempt: number) => void {
  const tails = tailReader(db);
  const clear = ['metric_points', 'metric_batches'].map((table) =>
    db.prepare(`delete from ${table} where series_id = ? and attempt = ?`),
  );
  const write = chunkWriter(db);
  return (id, attempt) => {
    const tail = tails(id, attempt);
    if (!tail) return;
    write(id, tail);
    for (const each of clear) each.run(id, attempt);
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
