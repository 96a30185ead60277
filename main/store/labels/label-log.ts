import { WhetstoneError } from '../../../engine/common/errors.ts';
import type { SetOptions } from '../../../engine/schema/labeling/index.ts';
import type { Verdict } from '../../../engine/schema/preference.ts';
import type { PairShown, Progress } from '../../../preload/contract/labels.ts';
import { found } from '../context.ts';
import type { Db } from '../database.ts';
import { hidesItems, openHiddenItems } from './hidden-items.ts';
import { blind, choiceOf, detailsFrom, optionsFrom, type ItemRow } from './label-items.ts';

export type PairRow = ItemRow & {
  id: string;
  set_id: string;
  position: number;
  prompt: string;
  verdict: Verdict | null;
  /** Of a repeat, the item that it repeats; its own id is that of the repeat. */
  repeats?: string;
  /** Of a repeat, the labeler to whom it is shown. */
  labeler?: string;
};
export type EventRole = 'repeat' | 'adjudication';
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
  role: EventRole | null;
  repeat_id: string | null;
  /** The import that the event belongs to; null of an event made by hand. */
  import_id: string | null;
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
  /** By default that of a label, or of a decision on a repeat. */
  readonly role?: EventRole | null;
  /** The import that the label belongs to. */
  readonly importId?: string;
}

/** `isBlind`: the position is withheld, since it would tell repeats and gold items from others. */
const shownAs = (row: PairRow, isBlind: boolean, before?: Labeled): PairShown => ({
  ...blind(row),
  ...(isBlind && { position: 0 }),
  ...(before && {
    before: {
      choice: choiceOf(before.verdict, row),
      details: detailsFrom(before.details),
      ...(before.value !== null && { value: JSON.parse(before.value) as unknown }),
    },
  }),
});

const foreignRepeat = (id: string): WhetstoneError =>
  new WhetstoneError('invalid-input', 'This item was shown to another labeler only.', {
    where: id,
    hint: 'Take the next item of the queue.',
  });

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

export type UndoneRow = Pick<EventRow, 'sequence' | 'pair_id' | 'role' | 'repeat_id'> & {
  set_id: string;
  /** The import that takes its labels back. */
  importId?: string;
};
type Counts = { pairs: number; labeled: number; mode: string; options: string };
type Mine = { labeled: number; decided: number; lefts: number };

/** Prepared statements of the log. */
const labelStatements = (db: Db) => ({
  pairById: db.prepare<[string], PairRow>(
    `${selectPairs} join label_sets s on s.id = p.set_id and s.visible = 1 where p.id = ?`,
  ),
  repeatById: db.prepare<[string], PairRow>(
    `select r.id, r.set_id, p.position, p.prompt, p.a, p.b, r.left_is, p.answers, r.verdict, r.pair_id repeats, r.labeler
      from repeats r join pairs p on p.id = r.pair_id join label_sets s on s.id = r.set_id and s.visible = 1
      where r.id = ?`,
  ),
  counts: db.prepare<[string], Counts>(
    'select pairs, labeled, mode, options from label_sets where id = ? and visible = 1',
  ),
  countsOf: db.prepare<[string, string], Mine>(
    'select labeled, decided, lefts from labeler_counts where set_id = ? and labeler = ?',
  ),
  insert: db.prepare(
    'insert into label_events (pair_id, set_id, event, verdict, undoes, at, seconds, labeler, rationale, details, ' +
      'value, redoes, role, repeat_id, import_id) values (?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?)',
  ),
  newest: db.prepare<[string, string], { at: number }>(
    'select at from label_events where set_id = ? and labeler = ? and import_id is null ' +
      "and event <> 'undo' and role is not 'adjudication' order by sequence desc limit 20",
  ),
  eventAt: db.prepare<[number], Labeled>('select * from label_events where sequence = ?'),
  labelOf: db.prepare<[string, string], Labeled>(
    'select e.* from labeler_labels l join label_events e on e.sequence = l.sequence ' +
      'where l.pair_id = ? and l.labeler = ?',
  ),
  repeatLabel: db.prepare<[string, string], Labeled>(
    'select e.* from repeats r join label_events e on e.sequence = r.sequence where r.id = ? and r.labeler = ?',
  ),
});

type Statements = ReturnType<typeof labelStatements>;

/** Items and repeats by the ids under which they are shown, and the labelers' decisions on them. */
function openItems(statements: Statements) {
  const { pairById, repeatById, counts } = statements;
  const rowOf = (id: string): PairRow | undefined => pairById.get(id) ?? repeatById.get(id);
  const setExists = (id: string): Counts => found(counts.get(id), 'label set', id);
  const optionsOf = (id: string): SetOptions => optionsFrom(setExists(id).options);
  return {
    rowOf,
    setExists,
    optionsOf,
    /** An item, or a repeat of one, by the id under which it is shown. */
    pairOf: (id: string): PairRow => found(rowOf(id), 'pair', id),
    /** The labeler's current decision on an item or on a repeat. */
    labelOf: ({ id, repeats }: PairRow, labeler: string): Labeled | undefined =>
      repeats === undefined ? statements.labelOf.get(id, labeler) : statements.repeatLabel.get(id, labeler),
    /** An item as it is shown, with an earlier decision on it. */
    shown: (row: PairRow, before?: Labeled): PairShown =>
      shownAs(row, hidesItems(optionsOf(row.set_id)), before),
  };
}

/** Writes of the log. */
function openRecording({ insert }: Statements, { labelOf }: ReturnType<typeof openItems>) {
  return {
    record(pair: PairRow, verdict: Verdict, event: NewEvent) {
      const {
        seconds = null,
        labeler,
        rationale = '',
        at,
        details = null,
        value = null,
        redoes = null,
        role = pair.repeats === undefined ? null : 'repeat',
        importId = null,
      } = event;
      if (pair.labeler !== undefined && pair.labeler !== labeler) throw foreignRepeat(pair.id);
      const kind = labelOf(pair, labeler) || pair.verdict !== null ? 'correction' : 'label';
      const [pairId, repeatId] = pair.repeats === undefined ? [pair.id, null] : [pair.repeats, pair.id];
      return insert.run(
        pairId,
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
        role,
        repeatId,
        importId,
      );
    },

    /** Stores that a labeler took a decision back. */
    recordUndo(undone: UndoneRow, labeler: string) {
      const { pair_id: pairId, set_id: setId, sequence, role, repeat_id: repeatId, importId = null } = undone;
      const [at, no] = [Date.now(), null];
      insert.run(
        pairId,
        setId,
        'undo',
        no,
        sequence,
        at,
        no,
        labeler,
        '',
        no,
        no,
        no,
        role,
        repeatId,
        importId,
      );
    },
  };
}

/** Reads and writes of the log that the queries of labels share. */
export function openLabelLog(db: Db) {
  const statements = labelStatements(db);
  const { countsOf, newest } = statements;
  const items = openItems(statements);
  const hidden = openHiddenItems(db, items.rowOf);
  const progress = (setId: string, labeler = 'me'): Progress => {
    const { pairs, labeled, options } = items.setExists(setId);
    const mine = countsOf.get(setId, labeler);
    const known = optionsFrom(options);
    const isShared = known.overlap === 1;
    const own = mine?.labeled ?? 0;
    const expected = isShared ? pairs - labeled + own : pairs;
    const added = hidden.added(setId, labeler, known, expected);
    const sided = (mine?.decided ?? 0) + added.sided;
    return {
      pairs: pairs + added.pairs,
      labeled: (isShared ? labeled : own) + added.labeled,
      mine: own + added.mine,
      perMinute: pace(newest.all(setId, labeler).map((r) => r.at)),
      leftShare: sided > 0 ? ((mine?.lefts ?? 0) + added.lefts) / sided : null,
    };
  };
  return { ...statements, ...items, ...openRecording(statements, items), hidden, progress };
}
export type LabelLog = ReturnType<typeof openLabelLog>;
