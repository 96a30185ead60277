import type { Series } from '../../preload/contract/runs.ts';
import type { StoreContext } from './context.ts';
import { metricPoints } from './metric-points.ts';
import { decimate, latestPerStep } from './series.ts';
import type { Sliced } from './slices.ts';

/** Most points of all series in one answer; with more series, each has fewer points. */
export const mostPoints = 1_000_000;

type SeriesRow = { id: number; run_id: string; role: string; name: string; label: string };

export interface SeriesQuery {
  readonly runIds: readonly string[];
  readonly names: readonly string[];
  readonly from: number;
  readonly to: number | null;
  readonly points: number;
}

// if roles share a name, the displayed name includes the role
const selectSeries = `
  select id, run_id, role, name, label from (
    select s.*, case when count(*) over (partition by run_id, name) = 1 then name else role || '/' || name end label
    from metric_series s where run_id in (select value from json_each(?)))`;

/** Queries of metric curves. All points are kept, including NaN and the infinities. */
export const metricQueries = ({ db }: StoreContext) => {
  const seriesId = db.prepare<[string, string, string], { id: number }>(
    'select id from metric_series where run_id = ? and role = ? and name = ?',
  );
  const newSeries = db.prepare('insert into metric_series (run_id, role, name) values (?, ?, ?)');
  const points = metricPoints(db);
  const noteNotFinite = db.prepare('update runs set not_finite = coalesce(not_finite, ?) where id = ?');

  return {
    /** Stores one event's values, within the transaction that commits it. */
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
        points.append(id, { attempt, sequence, step, at, value });
        // an evaluation's measure may be undefined, say an AUC without wrong answers
        if (!Number.isFinite(value) && !name.startsWith('eval/'))
          noteNotFinite.run(JSON.stringify({ metric: name, step }), runId);
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
     * The latest attempt's point for each step; if there are more than requested, minimum and maximum per
     * bucket.
     */
    *series({ runIds, names, from, to, points: requested }: SeriesQuery): Sliced<Series[]> {
      const last = to ?? Number.MAX_VALUE;
      const shown = db
        .prepare<[string], SeriesRow>(selectSeries)
        .all(JSON.stringify(runIds))
        .filter((r) => names.includes(r.label));
      const most = Math.max(16, Math.min(requested, Math.floor(mostPoints / Math.max(1, shown.length))));
      const found: Series[] = [];
      for (const { id, run_id: runId, label } of shown) {
        found.push({
          runId,
          name: label,
          ...decimate(latestPerStep(points.read(id, from, last), from, last), most),
        });
        yield;
      }
      return found;
    },
  };
};
