import type { Decision, PairShown } from '../../../preload/contract/labels.ts';
import type { Db } from '../database.ts';
import { choiceOf } from './label-items.ts';
import type { EventRow, LabelLog, UndoneRow } from './label-log.ts';

/** A labeler's events, newest first, until the one whose decision a redo repeats; null if there is none. */
function undoneBy(events: Iterable<EventRow>): number | null {
  let redone = 0;
  for (const { event, undoes, redoes } of events) {
    if (event === 'undo') {
      if (redone === 0) return undoes;
      redone -= 1;
    } else if (redoes !== null) redone += 1;
    else return null;
  }
  return null;
}

/**
 * Undo and redo of the decisions that a labeler made by hand: labels of an import under the same name are passed
 * over, since they are removed together. With `adjudicates`, of an adjudicator's decisions
 * only, and never else.
 */
export function openUndoing(db: Db, log: LabelLog, adjudicates = false) {
  const { eventAt, pairOf, setExists, record, recordUndo, shown } = log;
  const kind = adjudicates ? "role = 'adjudication'" : "role is not 'adjudication'";
  const last = db.prepare<[string, string], UndoneRow>(
    `select e.* from label_events e where e.set_id = ? and e.labeler = ? and e.import_id is null and e.event <> 'undo' and e.${kind}
      and not exists (select 1 from label_events u where u.undoes = e.sequence) order by e.sequence desc limit 1`,
  );
  const newest = db.prepare<[string, string], EventRow>(
    `select * from label_events where set_id = ? and labeler = ? and import_id is null and ${kind} order by sequence desc`,
  );
  return {
    undo(setId: string, labeler: string): PairShown | null {
      setExists(setId);
      const undone = last.get(setId, labeler);
      if (!undone) return null;
      recordUndo(undone, labeler);
      return shown(pairOf(undone.repeat_id ?? undone.pair_id), eventAt.get(undone.sequence));
    },

    redo(setId: string, labeler: string): Decision | null {
      setExists(setId);
      const sequence = undoneBy(newest.iterate(setId, labeler));
      const undone = sequence === null ? undefined : eventAt.get(sequence);
      if (!undone) return null;
      const pair = pairOf(undone.repeat_id ?? undone.pair_id);
      const { seconds, rationale, details, value, role } = undone;
      const at = Date.now();
      record(pair, undone.verdict, {
        labeler,
        at,
        seconds,
        rationale,
        details,
        value,
        role,
        redoes: undone.sequence,
      });
      return { pairId: pair.id, choice: choiceOf(undone.verdict, pair), at, seconds, labeler };
    },
  };
}
