import type { SetOptions } from '../../engine/schema/labeling/index.ts';
import type { Verdict } from '../../engine/schema/preference.ts';
import type { Progress } from '../../preload/contract/labels.ts';
import { found } from './context.ts';
import type { Db } from './database.ts';
import { optionsFrom, type ItemRow } from './label-items.ts';

export type PairRow = ItemRow & {
  id: string;
  set_id: string;
  position: number;
  prompt: string;
  verdict: Verdict | null;
};
export type EventRow = {
  sequence: number;
  pair_id: string;
  event: 'label' | 'correction' | 'undo';
  verdict: Verdict | null;
  at: number;
  seconds: number | null;
  labeler: string;
  rationale: string;
  details: string | null;
  value: string | null;
  undoes: number | null;
  redoes: number | null;
};
export type Labeled = EventRow & { verdict: Verdict };

/** Content and circumstances of an event that labels. */
interface NewEvent {
  readonly labeler: string;
  readonly at: number;
  readonly seconds?: number | null;
  readonly rationale?: string;
  readonly details?: string | null;
  readonly value?: string | null;
  readonly redoes?: number | null;
}

/** Longer gaps count as breaks and are excluded from the pace. */
const pauseMs = 120_000;

/**
 * Decisions per minute, from the times of the newest decisions, newest first; null without a gap to measure.
 */
function pace(times: readonly number[]): number | null {
  const gaps = times
    .slice(1)
    .map((at, i) => times[i] - at)
    .filter((gap) => gap > 0 && gap < pauseMs);
  const mean = gaps.reduce((sum, gap) => sum + gap, 0) / gaps.length;
  return gaps.length ? 60_000 / mean : null;
}

export const selectPairs =
  'select p.id, p.set_id, p.position, p.prompt, p.a, p.b, p.left_is, p.answers, p.verdict from pairs p';

type Counts = { pairs: number; labeled: number; mode: string; options: string };
type Mine = { labeled: number; decided: number; lefts: number };

/** Prepared statements of the log. */
const labelStatements = (db: Db) => ({
  pairById: db.prepare<[string], PairRow>(
    `${selectPairs} join label_sets s on s.id = p.set_id and s.visible = 1 where p.id = ?`,
  ),
  counts: db.prepare<[string], Counts>(
    'select pairs, labeled, mode, options from label_sets where id = ? and visible = 1',
  ),
  countsOf: db.prepare<[string, string], Mine>(
    'select labeled, decided, lefts from labeler_counts where set_id = ? and labeler = ?',
  ),
  insert: db.prepare(
    'insert into label_events (pair_id, set_id, event, verdict, undoes, at, seconds, labeler, rationale, details, ' +
      'value, redoes) values (?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?)',
  ),
  newest: db.prepare<[string, string], { at: number }>(
    "select at from label_events where set_id = ? and labeler = ? and event <> 'undo' " +
      'order by sequence desc limit 20',
  ),
  eventAt: db.prepare<[number], Labeled>('select * from label_events where sequence = ?'),
  labelOf: db.prepare<[string, string], Labeled>(
    'select e.* from labeler_labels l join label_events e on e.sequence = l.sequence ' +
      'where l.pair_id = ? and l.labeler = ?',
  ),
});

/** Reads and writes of the log that the queries of labels share. */
export function openLabelLog(db: Db) {
  const statements = labelStatements(db);
  const { pairById, counts, countsOf, insert, newest, labelOf } = statements;
  const pairOf = (id: string): PairRow => found(pairById.get(id), 'pair', id);
  const setExists = (id: string): Counts => found(counts.get(id), 'label set', id);
  const optionsOf = (id: string): SetOptions => optionsFrom(setExists(id).options);
  const record = (pair: PairRow, verdict: Verdict, event: NewEvent) => {
    const {
      seconds = null,
      labeler,
      rationale = '',
      at,
      details = null,
      value = null,
      redoes = null,
    } = event;
    const kind = labelOf.get(pair.id, labeler) || pair.verdict !== null ? 'correction' : 'label';
    return insert.run(
      pair.id,
      pair.set_id,
      kind,
      verdict,
      null,
      at,
      seconds,
      labeler,
      rationale,
      details,
      value,
      redoes,
    );
  };

  /** Stores that a labeler took a decision back. */
  const recordUndo = (pairId: string, setId: string, undoes: number, labeler: string) =>
    insert.run(pairId, setId, 'undo', null, undoes, Date.now(), null, labeler, '', null, null, null);
  const progress = (setId: string, labeler = 'me'): Progress => {
    const { pairs, labeled, options } = setExists(setId);
    const mine = countsOf.get(setId, labeler);
    return {
      pairs,
      labeled: optionsFrom(options).overlap > 1 ? (mine?.labeled ?? 0) : labeled,
      mine: mine?.labeled ?? 0,
      perMinute: pace(newest.all(setId, labeler).map((r) => r.at)),
      leftShare: mine?.decided ? mine.lefts / mine.decided : null,
    };
  };
  return { ...statements, pairOf, setExists, optionsOf, record, recordUndo, progress };
}
