import { WhetstoneError } from '../../engine/common/errors.ts';
import type { Verdict } from '../../engine/schema/preference.ts';
import type { DecisionDetails } from '../../engine/schema/labeling/index.ts';
import type { Choice, Decision, PairShown, Progress } from '../../preload/contract/labels.ts';
import { mostRows, type StoreContext } from './context.ts';
import { openLabelLog, selectPairs, type EventRow, type Labeled, type PairRow } from './label-log.ts';
import {
  answersShown,
  choiceOf,
  detailsFrom,
  optionsFrom,
  stepsShown,
  storedDetails,
  storedValue,
  verdictOf,
  type ItemRow,
} from './label-items.ts';

export interface NewDecision {
  readonly pairId: string;
  /** A side, or a stored answer. */
  readonly verdict: Verdict | Choice;
  readonly seconds: number | null;
  readonly labeler: string;
  readonly rationale: string;
  readonly details?: DecisionDetails;
  readonly value?: unknown;
}

const shown = (row: PairRow, before?: Labeled): PairShown => ({
  pairId: row.id,
  position: row.position,
  prompt: row.prompt,
  answers: answersShown(row),
  ...stepsShown(row),
  ...(before && {
    before: {
      choice: choiceOf(before.verdict, row),
      details: detailsFrom(before.details),
      ...(before.value !== null && { value: JSON.parse(before.value) as unknown }),
    },
  }),
});

/** Most decisions stored in one call. */
export const mostDecisions = 250;

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

function refuseValues(mode: string): void {
  if (mode !== 'pair')
    throw new WhetstoneError(
      'invalid-input',
      `Decisions of a set in the mode “${mode}” are values, not verdicts, so they cannot be stored together.`,
      { where: 'decisions', hint: 'Store each one by labels.decide, as “answered” with its value.' },
    );
}

/**
 * The append-only log of labels: decisions, corrections, undos. A pair's verdict is derived from it (see the
 * migrations).
 */
export const labelQueries = ({ db }: StoreContext) => {
  const { eventAt, labelOf, pairOf, setExists, optionsOf, record, recordUndo, progress } = openLabelLog(db);

  return {
    progress,
    /** An item, with the labeler's own decision on it. */
    pair: (id: string, labeler = 'me'): PairShown => shown(pairOf(id), labelOf.get(id, labeler)),

    /** The next items that still want this labeler's decision, without those in `after`. */
    queue(setId: string, after: readonly string[], count: number, labeler = 'me'): PairShown[] {
      const { overlap } = optionsOf(setId);
      const wants =
        overlap === 1
          ? 'p.verdict is null and :labeler is not null and :overlap = 1'
          : 'p.labelers < :overlap and not exists (select 1 from labeler_labels l where l.pair_id = p.id and l.labeler = :labeler)';
      return db
        .prepare<[object], PairRow>(
          `${selectPairs} where p.set_id = :setId and ${wants} and p.id not in (select value from json_each(:after))
          order by p.position limit :count`,
        )
        .all({ setId, overlap, labeler, after: JSON.stringify(after), count })
        .map((row) => shown(row));
    },

    /**
     * Stores a decision; it is committed and synced to disk on return. Throws `invalid-input` if it does not
     * fit the set's mode.
     */
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
      });
      return progress(pair.set_id, labeler);
    },

    /**
     * Stores at most `mostDecisions` decisions in one transaction; `isTrial` only checks them. Throws
     * `invalid-input` for sets in other modes than `pair`, whose decisions are values.
     */
    decideMany(
      labeler: string,
      decisions: readonly { pairId: string; verdict: Verdict }[],
      isTrial = false,
    ): Progress {
      const pairs = decisions.map(({ pairId }) => pairOf(pairId));
      const sets = new Set(pairs.map((pair) => pair.set_id));
      const [setId] = sets;
      if (setId === undefined || sets.size > 1)
        throw new WhetstoneError('invalid-input', 'Decisions must be about the pairs of one label set.', {
          where: 'decisions',
        });
      if (decisions.length > mostDecisions)
        throw new WhetstoneError(
          'invalid-input',
          `At most ${mostDecisions} decisions can be stored at once.`,
          { where: 'decisions' },
        );
      refuseValues(setExists(setId).mode);
      if (isTrial) return progress(setId, labeler);
      const at = Date.now();
      // a repeated pair has a verdict the second time
      db.transaction(() => decisions.forEach((d) => record(pairOf(d.pairId), d.verdict, { labeler, at })))();
      return progress(setId, labeler);
    },

    undo(setId: string, labeler: string): PairShown | null {
      setExists(setId);
      const last = db
        .prepare<[string, string], { sequence: number; pair_id: string }>(
          `
        select e.sequence, e.pair_id from label_events e where e.set_id = ? and e.labeler = ? and e.event <> 'undo'
          and not exists (select 1 from label_events u where u.undoes = e.sequence) order by e.sequence desc limit 1`,
        )
        .get(setId, labeler);
      if (!last) return null;
      recordUndo(last.pair_id, setId, last.sequence, labeler);
      return shown(pairOf(last.pair_id), eventAt.get(last.sequence));
    },

    /** Repeats the decision that the labeler undid last; null if a new one was made since. */
    redo(setId: string, labeler: string): Decision | null {
      setExists(setId);
      const events = db
        .prepare<[string, string], EventRow>(
          'select * from label_events where set_id = ? and labeler = ? order by sequence desc',
        )
        .iterate(setId, labeler);
      const sequence = undoneBy(events);
      const undone = sequence === null ? undefined : eventAt.get(sequence);
      if (!undone) return null;
      const pair = pairOf(undone.pair_id);
      const { seconds, rationale, details, value } = undone;
      const at = Date.now();
      record(pair, undone.verdict, {
        labeler,
        at,
        seconds,
        rationale,
        details,
        value,
        redoes: undone.sequence,
      });
      return { pairId: pair.id, choice: choiceOf(undone.verdict, pair), at, seconds, labeler };
    },

    recent(setId: string, count: number, labeler: string | null = null): Decision[] {
      setExists(setId);
      return db
        .prepare<[string, string | null, string | null, number], Labeled & ItemRow>(
          `
        select e.*, p.a, p.b, p.left_is, p.answers from labeler_labels l join label_events e on e.sequence = l.sequence
        join pairs p on p.id = l.pair_id
        where l.set_id = ? and (? is null or l.labeler = ?) order by l.sequence desc limit ?`,
        )
        .all(setId, labeler, labeler, count)
        .map((r) => ({
          pairId: r.pair_id,
          choice: choiceOf(r.verdict, r),
          at: r.at,
          seconds: r.seconds,
          labeler: r.labeler,
        }));
    },

    /** The labelers of a set, in order of their names. */
    labelers(setId: string): { labeler: string; labeled: number }[] {
      setExists(setId);
      return db
        .prepare<[string], { labeler: string; labeled: number }>(
          'select labeler, labeled from labeler_counts where set_id = ? order by labeler',
        )
        .all(setId);
    },

    /** The reference answer of the dataset row that an item was made from; null if there is none. */
    reference(pairId: string): { reference: string | null } {
      pairOf(pairId);
      const row = db
        .prepare<[string], { reference: string | null }>(
          'select r.reference from pairs p join label_sets s on s.id = p.set_id join dataset_rows r ' +
            'on r.dataset_id = s.dataset_id and r.row = cast(p.origin_a as integer) where p.id = ?',
        )
        .get(pairId);
      return { reference: row?.reference ?? null };
    },

    /** The newest events of a pair, in order. */
    history(
      pairId: string,
    ): { event: 'label' | 'correction' | 'undo'; verdict: Verdict | null; at: number; labeler: string }[] {
      pairOf(pairId);
      return db
        .prepare<[string, number], EventRow>(
          'select * from label_events where pair_id = ? order by sequence desc limit ?',
        )
        .all(pairId, mostRows)
        .reverse()
        .map(({ event, verdict, at, labeler }) => ({ event, verdict, at, labeler }));
    },
  };
};
