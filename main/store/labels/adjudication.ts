import type { Decision, PairShown, Progress } from '../../../preload/contract/labels.ts';
import type { StoreContext } from '../context.ts';
import { choiceOf, optionsFrom, storedDetails, storedValue, verdictOf, type ItemRow } from './label-items.ts';
import { openLabelLog, selectPairs, type Labeled, type PairRow } from './label-log.ts';
import { openUndoing } from './label-undo.ts';
import type { NewDecision } from './labels.ts';

type Counts = { open: number; settled: number };

/**
 * Adjudication: items whose labelers disagree are decided once more, blind to their labels. The verdict is
 * final: it wins over every label, also over later ones, until it is undone. It is no label of its
 * adjudicator.
 */
export const adjudicationQueries = ({ db }: StoreContext) => {
  const log = openLabelLog(db);
  const { pairOf, setExists, shown, record } = log;
  const undoing = openUndoing(db, log, true);
  const open = db.prepare<[object], PairRow>(
    `${selectPairs} where p.set_id = :setId and p.disputed = 1
      and not exists (select 1 from adjudications j where j.pair_id = p.id)
      and p.id not in (select value from json_each(:after)) order by p.position limit :count`,
  );
  const settled = db.prepare<[object], Labeled & ItemRow>(
    `select e.*, p.a, p.b, p.left_is, p.answers from adjudications j join label_events e on e.sequence = j.sequence
      join pairs p on p.id = j.pair_id
      where j.set_id = :setId and (:labeler is null or j.labeler = :labeler) order by j.sequence desc limit :count`,
  );
  const adjudicated = db.prepare<[string], Labeled>(
    'select e.* from adjudications j join label_events e on e.sequence = j.sequence where j.pair_id = ?',
  );
  const counts = db.prepare<[object], Counts>(
    `select (select count(*) from pairs p where p.set_id = :setId and p.disputed = 1
        and not exists (select 1 from adjudications j where j.pair_id = p.id)) open,
      (select count(*) from adjudications where set_id = :setId) settled`,
  );

  /** Disputed items, and those of them that are settled. */
  const progress = (setId: string): Progress => {
    setExists(setId);
    const { open: waiting = 0, settled: done = 0 } = counts.get({ setId }) ?? {};
    return { pairs: waiting + done, labeled: done, perMinute: null, leftShare: null };
  };

  return {
    progress,
    /** The next disputed items without an adjudication; nothing tells who decided how. */
    queue(setId: string, after: readonly string[], count: number): PairShown[] {
      setExists(setId);
      return open.all({ setId, after: JSON.stringify(after), count }).map((row) => shown(row));
    },

    /** An item, with its adjudication, if any. */
    pair: (id: string): PairShown => shown(pairOf(id), adjudicated.get(id)),

    /** Settles an item. Throws `invalid-input` if the decision does not fit the set's mode. */
    decide({ pairId, verdict, labeler, seconds, rationale, details = {}, value }: NewDecision): Progress {
      const pair = pairOf(pairId);
      const { mode, options } = setExists(pair.set_id);
      record(pair, verdictOf(verdict, pair), {
        labeler,
        seconds,
        rationale: rationale || (details.critique ?? '').slice(0, 4000),
        at: Date.now(),
        details: storedDetails(details),
        value: storedValue(verdict, value, { mode, options: optionsFrom(options), row: pair }),
        role: 'adjudication',
      });
      return progress(pair.set_id);
    },

    undo: (setId: string, labeler: string): PairShown | null => undoing.undo(setId, labeler),
    redo: (setId: string, labeler: string): Decision | null => undoing.redo(setId, labeler),

    recent(setId: string, count: number, labeler: string | null = null): Decision[] {
      setExists(setId);
      return settled.all({ setId, labeler, count }).map((row) => ({
        pairId: row.pair_id,
        choice: choiceOf(row.verdict, row),
        at: row.at,
        seconds: row.seconds,
        labeler: row.labeler,
      }));
    },
  };
};
