import type { Series } from '../../preload/contract/runs.ts';
import type { StoreContext } from './context.ts';
import { decimate, latestPerStep, type Column, type Points } from './series.ts';
import type { Sliced } from './slices.ts';

/**
 * Points of all series that come at once: with more series than that allows, each comes with fewer points.
 */
export const mostPoints = 1_000_000;

/** Rows in the tail before they are packed into a chunk. */
export const chunkLength = 4096;

type SeriesRow = { id: number; run_id: string; role: string; name: string; label: string };
type PointRow = { attempt: number; sequence: number; step: number; at: number; value: number | null };
type ChunkRow = { attempt: number; first_sequence: number; steps: Buffer; ats: Buffer; vals: Buffer };
export interface SeriesQuery {
  readonly runIds: readonly string[];
  readonly names: readonly string[];
  readonly from: number;
  readonly to: number | null;
  readonly points: number;
}

/** A blob as float64, copied to an aligned buffer. */
const floats = (blob: Buffer): Column => new Float64Array(new Uint8Array(blob).buffer);
const bytes = (values: Float64Array): Buffer =>
  Buffer.from(values.buffer, values.byteOffset, values.byteLength);

// one name, several roles: the role is told apart in the name that is shown
const selectSeries = `
  select id, run_id, role, name, label from (
    select s.*, case when count(*) over (partition by run_id, name) = 1 then name else role || '/' || name end label
    from metric_series s where run_id in (select value from json_each(?)))`;

/** Curves. Every point is kept; NaN and the infinities too. */
export const metricQueries = ({ db }: StoreContext) => {
  const seriesId = db.prepare<[string, string, string], { id: number }>(
    'select id from metric_series where run_id = ? and role = ? and name = ?',
  );
  const newSeries = db.prepare('insert into metric_series (run_id, role, name) values (?, ?, ?)');
  const insert = db.prepare('insert into metric_points values (?, ?, ?, ?, ?, ?)');
  const tailLength = db.prepare<[number, number], { n: number }>(
    'select count(*) n from metric_points where series_id = ? and attempt = ?',
  );
  const tail = db.prepare<[number, number], PointRow>(
    'select attempt, sequence, step, at, value from metric_points where series_id = ? and attempt = ? ' +
      'order by sequence',
  );
  const clearTail = db.prepare('delete from metric_points where series_id = ? and attempt = ?');
  const newestPoint = db.prepare<[number], PointRow>(
    'select * from metric_points where series_id = ? order by attempt desc, sequence desc limit 1',
  );
  const newestChunk = db.prepare<[number], ChunkRow>(
    'select * from metric_chunks where series_id = ? order by attempt desc, first_sequence desc limit 1',
  );
  const insertChunk = db.prepare('insert into metric_chunks values (?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?)');

  function compact(id: number, attempt: number): void {
    const rows = tail.all(id, attempt);
    const values = Float64Array.from(rows, (r) => r.value ?? Number.NaN);
    const steps = Float64Array.from(rows, (r) => r.step);
    const finite = values.filter(Number.isFinite);
    insertChunk.run(
      id,
      attempt,
      rows[0].sequence,
      steps.reduce((x, y) => Math.min(x, y)),
      steps.reduce((x, y) => Math.max(x, y)),
      rows.length,
      rows.length - finite.length,
      finite.length ? finite.reduce((x, y) => Math.min(x, y)) : null,
      finite.length ? finite.reduce((x, y) => Math.max(x, y)) : null,
      finite.reduce((x, y) => x + y, 0),
      bytes(steps),
      bytes(Float64Array.from(rows, (r) => r.at)),
      bytes(values),
    );
    clearTail.run(id, attempt);
  }

  /**
   * All points of a series within the steps asked for, attempt by attempt, in the order in which they came.
   */
  function points(id: number, from: number, to: number): Points[] {
    const chunks = db
      .prepare<[number, number, number], ChunkRow>(
        `
      select attempt, first_sequence, steps, ats, vals from metric_chunks where series_id = ?
        and last_step >= ? and first_step <= ? order by attempt, first_sequence`,
      )
      .all(id, from, to)
      .map((c) => ({
        attempt: c.attempt,
        steps: floats(c.steps),
        at: floats(c.ats),
        values: floats(c.vals),
      }));
    const rows = db
      .prepare<[number, number, number], PointRow>(
        `
      select attempt, sequence, step, at, value from metric_points where series_id = ? and step >= ?
        and step <= ? order by attempt, sequence`,
      )
      .all(id, from, to);
    const tails = [...Map.groupBy(rows, (r) => r.attempt)].map(([attempt, own]) => ({
      attempt,
      steps: Float64Array.from(own, (r) => r.step),
      at: Float64Array.from(own, (r) => r.at),
      values: Float64Array.from(own, (r) => r.value ?? Number.NaN),
    }));
    return [...chunks, ...tails];
  }

  return {
    /** One event's values; called within the transaction that commits it. */
    append(
      runId: string,
      {
        attempt,
        sequence,
        role,
        step,
        at,
      }: { attempt: number; sequence: number; role: string; step: number; at: number },
      values: { readonly [name: string]: number },
    ): void {
      for (const [name, value] of Object.entries(values)) {
        const id =
          seriesId.get(runId, role, name)?.id ?? Number(newSeries.run(runId, role, name).lastInsertRowid);
        insert.run(id, attempt, sequence, step, at, Number.isNaN(value) ? null : value);
        if ((tailLength.get(id, attempt)?.n ?? 0) >= chunkLength) compact(id, attempt);
      }
    },

    names: (runIds: readonly string[]): string[] =>
      [
        ...new Set(
          db
            .prepare<[string], SeriesRow>(selectSeries)
            .all(JSON.stringify(runIds))
            .map((r) => r.label),
        ),
      ].sort(),

    /**
     * The latest attempt's point for each step; minimum and maximum per bucket where there are more than
     * asked for.
     */
    *series({ runIds, names, from, to, points: asked }: SeriesQuery): Sliced<Series[]> {
      const last = to ?? Number.MAX_VALUE;
      const wanted = db
        .prepare<[string], SeriesRow>(selectSeries)
        .all(JSON.stringify(runIds))
        .filter((r) => names.includes(r.label));
      const most = Math.max(16, Math.min(asked, Math.floor(mostPoints / Math.max(1, wanted.length))));
      const found: Series[] = [];
      for (const { id, run_id: runId, label } of wanted) {
        found.push({
          runId,
          name: label,
          ...decimate(latestPerStep(points(id, from, last), from, last), most),
        });
        yield;
      }
      return found;
    },

    /** The newest value of each metric of a run. */
    latest(runId: string): Record<string, number> {
      const rows = db.prepare<[string], SeriesRow>(selectSeries).all(JSON.stringify([runId]));
      return Object.fromEntries(
        rows.flatMap((r) => {
          const tailEnd = newestPoint.get(r.id);
          const chunk = newestChunk.get(r.id);
          if (tailEnd && (!chunk || tailEnd.attempt >= chunk.attempt))
            return [[r.label, tailEnd.value ?? Number.NaN]];
          return chunk ? [[r.label, floats(chunk.vals).at(-1) ?? Number.NaN]] : [];
        }),
      );
    },
  };
};
