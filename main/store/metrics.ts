import type { Series } from '../../preload/contract/runs.ts';
import { MAIN_ROLE } from '../../preload/wire/metric-names.ts';
import { WhetstoneError } from '../../engine/common/errors.ts';
import type { StoreContext } from './context.ts';
import { curveReader } from './curves/reading.ts';
import { metricPoints } from './metric-points.ts';
import type { Added } from './metric-tails.ts';
import { latestPerStep } from './series.ts';
import type { Sliced } from './slices.ts';

/** Most points that one request may ask for, over all of its series. */
export const mostPoints = 2_000_000;

/** Most points of all series in a window of steps. */
const mostInWindow = 100_000;

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

/** A series under each name that was asked for: a name that roles of its run share means the main role's. */
const namedOf = (
  { role, name, label }: Pick<SeriesRow, 'role' | 'name' | 'label'>,
  asked: ReadonlySet<string>,
): readonly Pick<Series, 'name' | 'role'>[] => [
  ...(asked.has(label) ? [{ name: label }] : []),
  ...(label !== name && role === MAIN_ROLE && asked.has(name) ? [{ name, role }] : []),
];

export interface MetricExtent {
  readonly points: number;
  readonly first: number;
  readonly last: number;
}

/** Queries of metric curves. All points are kept, including NaN and the infinities. */
export const metricQueries = ({ db }: StoreContext) => {
  const seriesId = db.prepare<[string, string, string], { id: number }>(
    'select id from metric_series where run_id = ? and role = ? and name = ?',
  );
  const newSeries = db.prepare('insert into metric_series (run_id, role, name) values (?, ?, ?)');
  const points = metricPoints(db);
  const curve = curveReader(db);
  const known = new Map<string, Map<string, number>>();
  const idsOf = (key: string): Map<string, number> => {
    const own = known.get(key) ?? new Map<string, number>();
    known.set(key, own);
    return own;
  };
  /** New points of the current transaction, by series. */
  const added = new Map<number, Added>();
  const addedTo = (id: number, attempt: number): Added => {
    const own = added.get(id);
    if (own?.attempt === attempt) return own;
    // one transaction rarely has two attempts of a series
    if (own) points.append(id, own);
    const fresh: Added = { attempt, sequences: [], steps: [], ats: [], values: [] };
    added.set(id, fresh);
    return fresh;
  };
  const noteNotFinite = db.prepare('update runs set not_finite = coalesce(not_finite, ?) where id = ?');

  return {
    /** Adds one event's values; `flush` stores them, within the transaction that commits the event. */
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
      const ids = idsOf(`${runId}/${role}`);
      for (const [name, value] of Object.entries(values)) {
        let id = ids.get(name);
        if (id === undefined) {
          id =
            seriesId.get(runId, role, name)?.id ?? Number(newSeries.run(runId, role, name).lastInsertRowid);
          ids.set(name, id);
        }
        const own = addedTo(id, attempt);
        own.sequences.push(sequence);
        own.steps.push(step);
        own.ats.push(at);
        own.values.push(value);
        // an evaluation's measure may be undefined, say an AUC without wrong answers
        if (!Number.isFinite(value) && !name.startsWith('eval/'))
          noteNotFinite.run(JSON.stringify({ metric: name, step }), runId);
      }
    },

    /** Stores the appended points, at the end of the transaction. */
    flush(): void {
      for (const [id, own] of added) points.append(id, own);
      added.clear();
    },

    /** Forgets what a transaction has added, after it was rolled back. */
    forget(): void {
      known.clear();
      added.clear();
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
     * The latest attempt's point for each step; if a window has more than requested, the minimum and maximum of
     * buckets on a fixed grid, with the whole of the buckets at both ends. The points of a series depend on the
     * window and the requested number alone, not on the other series. A name that several roles of a run share
     * means its main role's. Throws `invalid-input` where runs × names ×
     * points exceed 2,000,000.
     */
    *series({ runIds, names, from, to, points: requested }: SeriesQuery): Sliced<Series[]> {
      const asked = new Set(names);
      if (runIds.length * asked.size * requested > mostPoints)
        throw new WhetstoneError(
          'invalid-input',
          `${runIds.length} runs × ${asked.size} metrics × ${requested} points are more than ${mostPoints} points.`,
          { where: 'points', hint: 'Ask for fewer points, or for fewer metrics or runs at once.' },
        );
      const shown = db
        .prepare<[string], SeriesRow>(selectSeries)
        .all(JSON.stringify(runIds))
        .flatMap((row) => namedOf(row, asked).map((named) => ({ ...row, named })));
      const found: Series[] = [];
      for (const { id, run_id: runId, named } of shown) {
        found.push({ runId, ...named, ...curve(id, from, to ?? Number.MAX_VALUE, requested) });
        yield;
      }
      return found;
    },

    /** Number of points of a run's metrics, and their first and last step; null without points. */
    extent(runId: string): MetricExtent | null {
      const { points, first, last } = db
        .prepare<{ id: string }, { points: number; first: number | null; last: number | null }>(
          `select sum(n) points, min(first) first, max(last) last from (
            select c.count n, c.first_step first, c.last_step last from metric_series s
              join metric_chunks c on c.series_id = s.id where s.run_id = :id
            union all
            select count(*) n, min(p.step), max(p.step) from metric_series s
              join metric_points p on p.series_id = s.id where s.run_id = :id
            union all
            select b.count, b.first_step, b.last_step from metric_series s
              join metric_batches b on b.series_id = s.id where s.run_id = :id)`,
        )
        .get({ id: runId }) ?? { points: 0, first: null, last: null };
      return first === null || last === null ? null : { points, first, last };
    },

    /**
     * All points of a run from a step on: the latest attempt's point for each step. Ends at `to`, or before, with
     * at most 100,000 points; `to` of the answer is the last step that it includes.
     */
    *window(
      runId: string,
      from: number,
      to: number,
    ): Sliced<{ readonly series: Series[]; readonly to: number }> {
      const all = db.prepare<[string], SeriesRow>(selectSeries).all(JSON.stringify([runId]));
      for (let last = to; ; last = Math.floor((from + last) / 2)) {
        const found: Series[] = [];
        let count = 0;
        for (const { id, label } of all) {
          const curve = latestPerStep(points.read(id, from, last), from, last);
          count += curve.steps.length;
          if (count > mostInWindow && last > from) break;
          if (curve.steps.length > 0) found.push({ runId, name: label, ...curve });
          yield;
        }
        if (count <= mostInWindow || last <= from) return { series: found, to: last };
      }
    },
  };
};
