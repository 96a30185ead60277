import { WhetstoneError } from '../../../engine/common/errors.ts';
import type { Verdict } from '../../../engine/schema/preference.ts';
import type { DecisionDetails } from '../../../engine/schema/labeling/index.ts';
import type { Choice, Decision, PairShown, Progress } from '../../../preload/contract/labels.ts';
import { mostRows, type StoreContext } from '../context.ts';
import { openLabelLog, type EventRole, type EventRow, type Labeled, type PairRow } from './label-log.ts';
import { openQueue } from './label-queue.ts';
import { openUndoing } from './label-undo.ts';
import { choiceOf, optionsFrom, storedDetails, storedValue, verdictOf, type ItemRow } from './label-items.ts';

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

interface HistoryEvent {
  readonly event: EventRow['event'];
  readonly verdict: Verdict | null;
  readonly at: number;
  readonly labeler: string;
  readonly role?: EventRole;
}

/** Most decisions stored in one call. */
export const mostDecisions = 250;

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
  const log = openLabelLog(db);
  const { labelOf, pairOf, setExists, optionsOf, hidden, record, progress } = log;
  const undoing = openUndoing(db, log);
  const present = (row: PairRow, before?: Labeled): PairShown => log.shown(row, before);
  const nextItems = openQueue(db);

  return {
    progress,
    /** An item, with the labeler's own decision on it. */
    pair(id: string, labeler = 'me'): PairShown {
      const row = pairOf(id);
      return present(row, labelOf(row, labeler));
    },

    /** The next items that still want this labeler's decision, without those in `after`. */
    queue(setId: string, after: readonly string[], count: number, labeler = 'me'): PairShown[] {
      const options = optionsOf(setId);
      const { overlap } = options;
      const next = (without: readonly string[], most: number): PairRow[] =>
        nextItems({ setId, after: without, count: most, labeler, overlap });
      return hidden.mixed({ setId, labeler, options, after, count }, next).map((row) => present(row));
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

    undo: (setId: string, labeler: string): PairShown | null => undoing.undo(setId, labeler),
    /** Repeats the decision that the labeler undid last; null if a new one was made since. */
    redo: (setId: string, labeler: string): Decision | null => undoing.redo(setId, labeler),

    recent(setId: string, count: number, labeler: string | null = null): Decision[] {
      setExists(setId);
      return db
        .prepare<[object], Labeled & ItemRow>(
          `
        select * from (select e.*, p.a, p.b, p.left_is, p.answers from labeler_labels l
          join label_events e on e.sequence = l.sequence join pairs p on p.id = l.pair_id
          where l.set_id = :setId and (:labeler is null or l.labeler = :labeler) order by l.sequence desc limit :count)
        union all select * from (select e.*, p.a, p.b, r.left_is, p.answers from repeats r
          join label_events e on e.sequence = r.sequence join pairs p on p.id = r.pair_id
          where r.set_id = :setId and (:labeler is null or r.labeler = :labeler) order by r.sequence desc limit :count)
        order by sequence desc limit :count`,
        )
        .all({ setId, labeler, count })
        .map((r) => ({
          pairId: r.repeat_id ?? r.pair_id,
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
      const { id, repeats = id } = pairOf(pairId);
      const row = db
        .prepare<[string], { reference: string | null }>(
          'select r.reference from pairs p join label_sets s on s.id = p.set_id join dataset_rows r ' +
            'on r.dataset_id = s.dataset_id and r.row = cast(p.origin_a as integer) where p.id = ?',
        )
        .get(repeats);
      return { reference: row?.reference ?? null };
    },

    /** The newest events of a pair, repeats and adjudications included, or of one repeat, in order. */
    history(pairId: string): HistoryEvent[] {
      const { repeats } = pairOf(pairId);
      return db
        .prepare<[string, number], EventRow>(
          `select * from label_events where ${repeats === undefined ? 'pair_id' : 'repeat_id'} = ? order by sequence desc limit ?`,
        )
        .all(pairId, mostRows)
        .reverse()
        .map(({ event, verdict, at, labeler, role }) => ({
          event,
          verdict,
          at,
          labeler,
          ...(role !== null && repeats === undefined && { role }),
        }));
    },
  };
};
