import { WhetstoneError } from '../../../engine/common/errors.ts';
import type { Verdict } from '../../../engine/schema/preference.ts';
import { staged, type Db } from '../database.ts';
import type { Sliced } from '../slices.ts';
import { openLabelLog, type Labeled, type LabelLog } from './label-log.ts';

/** Labels of one transaction. */
const SOME = 100;

/** Protects an import that is being stored from the sweep, which continues those of a crash. */
export const importKey = (id: string): string => `import/${id}`;

interface StagedLabel {
  readonly place: number;
  readonly pair_id: string;
  readonly verdict: Verdict;
  readonly value: string | null;
  readonly labeler: string;
  readonly at: number;
  readonly rationale: string;
}

export interface ImportedLabel {
  readonly pairId: string;
  readonly verdict: Verdict;
  readonly value: string | null;
  readonly labeler: string;
  readonly at: number | null;
  readonly rationale: string;
}

/** Stages labels of an import; a crash in between leaves an import that the sweep deletes. */
export function* stageLabels(
  db: Db,
  id: string,
  labels: readonly ImportedLabel[],
  now: number,
): Sliced<void> {
  const insert = db.prepare('insert into import_labels values (?, ?, ?, ?, ?, ?, ?, ?)');
  for (let from = 0; from < labels.length; from += SOME) {
    staged(db, () => {
      for (const [i, label] of labels.slice(from, from + SOME).entries()) {
        const { pairId, verdict, value, labeler, at, rationale } = label;
        insert.run(id, from + i, pairId, verdict, value, labeler, at ?? now, rationale);
      }
    });
    yield;
  }
}

const openSteps = (db: Db) => ({
  state: db.prepare<[string, string]>('update label_imports set state = ? where id = ?'),
  next: db.prepare<[string], StagedLabel>(
    `select place, pair_id, verdict, value, labeler, at, rationale from import_labels
      where import_id = ? order by place limit ${SOME}`,
  ),
  clear: db.prepare<[string, number]>('delete from import_labels where import_id = ? and place <= ?'),
  counted: db.prepare<[string], Labeled & { set_id: string }>(
    `select e.* from label_events e where e.import_id = ? and e.event <> 'undo'
      and not exists (select 1 from label_events u where u.undoes = e.sequence) limit ${SOME}`,
  ),
});
type Steps = ReturnType<typeof openSteps>;

/** Turns the staged labels of an import into events. Each transaction moves some of them. */
function* storeStaged(db: Db, { pairOf, record }: LabelLog, { next, clear, state }: Steps, id: string) {
  const move = (): boolean => {
    const labels = next.all(id);
    for (const { pair_id: pairId, verdict, value, labeler, at, rationale } of labels)
      record(pairOf(pairId), verdict, { value, labeler, at, rationale, importId: id });
    const last = labels.at(-1);
    if (last) clear.run(id, last.place);
    else state.run('stored', id);
    return last !== undefined;
  };
  // not synced: what is staged and the import's state are on the disk, so a crash repeats some of it
  while (staged(db, move)) yield;
}

/** Takes back all events of an import that still count, each by an event of its own. */
function* takeBack(db: Db, { recordUndo }: LabelLog, { counted, state }: Steps, id: string) {
  const move = (): boolean => {
    const events = counted.all(id);
    for (const event of events) recordUndo({ ...event, importId: id }, event.labeler);
    if (events.length === 0) state.run('removed', id);
    return events.length > 0;
  };
  while (staged(db, move)) yield;
}

const closed = (error: WhetstoneError, what: string): WhetstoneError =>
  new WhetstoneError('cancelled', `The workspace was closed while the labels were ${what}.`, {
    hint: 'This continues when the workspace is opened again, until the import is complete.',
    cause: error,
  });

/**
 * Brings an import in the state `storing` or `removing` to its end. Throws `cancelled` if the workspace is closed
 * before; the sweep of the next opening continues.
 */
export function* endImport(db: Db, id: string, state: 'storing' | 'removing'): Sliced<void> {
  const log = openLabelLog(db);
  const steps = openSteps(db);
  try {
    if (state === 'storing') yield* storeStaged(db, log, steps, id);
    else yield* takeBack(db, log, steps, id);
  } catch (error) {
    const known = WhetstoneError.from(error);
    throw known.kind === 'cancelled' ? closed(known, state === 'storing' ? 'stored' : 'removed') : error;
  }
}

type Left = { id: string; state: 'staged' | 'storing' | 'removing' };

/** Deletes imports that a crash left while they were staged, and brings the others to their end. */
export function* endImports(db: Db, making: ReadonlySet<string>): Sliced<void> {
  const left = db
    .prepare<[], Left>(
      `select i.id, i.state from label_imports i join label_sets s on s.id = i.set_id and s.visible = 1
        where i.state in ('staged', 'storing', 'removing')`,
    )
    .all();
  for (const { id, state } of left.filter((each) => !making.has(importKey(each.id))))
    if (state === 'staged') yield* discardStaged(db, id);
    else yield* endImport(db, id, state);
}

/** Deletes an import that has no events. */
export function* discardStaged(db: Db, id: string): Sliced<void> {
  const remove = db.prepare<[string, string]>(
    `delete from import_labels where import_id = ? and place in (
      select place from import_labels where import_id = ? limit ${SOME * 10})`,
  );
  while (staged(db, () => remove.run(id, id).changes) > 0) yield;
  staged(db, () => db.prepare('delete from label_imports where id = ?').run(id));
}
