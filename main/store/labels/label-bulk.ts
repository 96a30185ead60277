import type { Choice, Progress } from '../../../preload/contract/labels.ts';
import type { BulkItem, BulkState } from '../../../preload/contract/label-bulk.ts';
import type { StoreContext } from '../context.ts';
import { answersShown, choiceOf, optionsFrom, stepsShown, storedValue, verdictOf } from './label-items.ts';
import { openLabelLog, selectPairs, type PairRow } from './label-log.ts';
import type { Sliced } from '../slices.ts';

/** Characters of each text in the list. */
const CLIPPED = 600;
/** Decisions of one transaction. */
const SOME = 100;

const clipped = (text: string): string => (text.length > CLIPPED ? `${text.slice(0, CLIPPED)}…` : text);

const conditions: Readonly<Record<BulkState, string>> = {
  all: ':labeler is not null and :overlap > 0',
  open:
    'case :overlap when 1 then p.verdict is null and :labeler is not null else p.labelers < :overlap and not ' +
    'exists (select 1 from labeler_labels l where l.pair_id = p.id and l.labeler = :labeler) end',
  mine: 'exists (select 1 from labeler_labels l where l.pair_id = p.id and l.labeler = :labeler) and :overlap > 0',
};

export interface BulkChoice {
  readonly setId: string;
  readonly labeler: string;
  readonly positions: readonly number[];
  readonly choice: Choice;
  readonly value?: unknown;
}

/** Many items of a set at once: a list for quick passes, and decisions on all that are selected. */
export const labelBulkQueries = ({ db }: StoreContext) => {
  const { pairOf, setExists, optionsOf, record, recordUndo, progress, labelOf, eventAt } = openLabelLog(db);
  const at = db.prepare<[string, string], PairRow>(
    `${selectPairs} where p.set_id = ? and p.position in (select value from json_each(?)) order by p.position`,
  );
  const idsAt = db
    .prepare<[string, string], string>(
      'select id from pairs where set_id = ? and position in (select value from json_each(?)) order by position',
    )
    .pluck();
  const isUndone = db.prepare<[number], number>('select 1 from label_events where undoes = ?').pluck();

  /** JSON of the value of a decision on an item. Throws `invalid-input` if it does not fit. */
  const valueOf = (row: PairRow, { choice, value }: BulkChoice): string | null => {
    const { mode, options } = setExists(row.set_id);
    const given =
      mode === 'correctness' && typeof value === 'object' ? { ...stepsShown(row), ...value } : value;
    return storedValue(choice, given, { mode, options: optionsFrom(options), row });
  };

  return {
    /** Positions of the items with a text in prompt or answers, in order; `state` is the labeler's own. */
    find(setId: string, labeler: string, text: string, state: BulkState): number[] {
      const { overlap } = optionsOf(setId);
      const has =
        ":text = '' or instr(lower(p.prompt || char(10) || p.a || char(10) || p.b || char(10) || " +
        "coalesce(p.answers, '')), lower(:text)) > 0";
      return db
        .prepare<[object], number>(
          `select p.position from pairs p where p.set_id = :setId and (${conditions[state]}) and (${has}) ` +
            'order by p.position',
        )
        .pluck()
        .all({ setId, labeler, text, overlap });
    },

    /** Items at positions, with clipped texts, the answers as they are shown, and the labeler's choice. */
    items(setId: string, labeler: string, positions: readonly number[]): BulkItem[] {
      setExists(setId);
      return at.all(setId, JSON.stringify(positions)).map((row) => {
        const own = labelOf(row, labeler);
        return {
          position: row.position,
          prompt: clipped(row.prompt),
          answers: answersShown(row).map(clipped),
          choice: own ? choiceOf(own.verdict, row) : null,
          ...(own && own.value !== null && { value: JSON.parse(own.value) as unknown }),
        };
      });
    },

    /**
     * Stores the same decision on all items, each as an event of its own; all are checked before the first
     * is stored. Returns the sequences of the events, for `undo`. Throws `invalid-input`.
     */
    *decide(bulk: BulkChoice): Sliced<{ sequences: number[]; progress: Progress }> {
      const { setId, labeler, choice, positions } = bulk;
      setExists(setId);
      const ids = idsAt.all(setId, JSON.stringify(positions));
      for (const [turn, id] of ids.entries()) {
        valueOf(pairOf(id), bulk);
        if (turn % SOME === SOME - 1) yield;
      }
      const now = Date.now();
      const sequences: number[] = [];
      for (let from = 0; from < ids.length; from += SOME) {
        db.transaction(() => {
          for (const id of ids.slice(from, from + SOME)) {
            const row = pairOf(id);
            const event = { labeler, at: now, value: valueOf(row, bulk) };
            sequences.push(Number(record(row, verdictOf(choice, row), event).lastInsertRowid));
          }
        })();
        yield;
      }
      return { sequences, progress: progress(setId, labeler) };
    },

    /** Takes back those of the events that still count, each by an event of its own. */
    *undo(
      setId: string,
      labeler: string,
      sequences: readonly number[],
    ): Sliced<{ undone: number; progress: Progress }> {
      setExists(setId);
      let undone = 0;
      for (let from = 0; from < sequences.length; from += SOME) {
        db.transaction(() => {
          for (const sequence of sequences.slice(from, from + SOME)) {
            const event = eventAt.get(sequence);
            if (event?.labeler !== labeler || isUndone.get(sequence) !== undefined) continue;
            const row = pairOf(event.pair_id);
            if (row.set_id !== setId || labelOf(row, labeler)?.sequence !== sequence) continue;
            recordUndo({ ...event, set_id: setId }, labeler);
            undone += 1;
          }
        })();
        yield;
      }
      return { undone, progress: progress(setId, labeler) };
    },
  };
};
