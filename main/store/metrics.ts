import type { Series } from '../../preload/contract/runs.ts';
import type { StoreContext } from './context.ts';
import { metricPoints } from './metric-points.ts';
import { decimate, latestPerStep } from './series.ts';
import type { Sliced } from './slices.ts';

/**
 * Points of all series that come at once: with more series than that allows, each comes with fewer points.
 */
export const mostPoints = 1_000_000;

type SeriesRow = { id: number; run_id: string; role: string; name: string; label: string };

export interface SeriesQuery {
  readonly runIds: readonly string[];
  readonly names: readonly string[];
  readonly from: number;
  readonly to: number | null;
  readonly points: number;
}

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
  const points = metricPoints(db);

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
        points.append(id, { attempt, sequence, step, at, value });
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
          ...decimate(latestPerStep(points.read(id, from, last), from, last), most),
        });
        yield;
      }
      return found;
    },
  };
};
