import { WhetstoneError } from '../../../engine/common/errors.ts';
import type { CurationEvent, RowStep } from '../../../preload/contract/curation.ts';
import { found, mostRows } from '../context.ts';
import type { Db } from '../database.ts';
import { stacksOf } from '../applied-steps.ts';

export { stacksOf };

/** An event as it is stored. */
export interface StoredEvent {
  readonly sequence: number;
  readonly dataset_id: string;
  readonly event: CurationEvent['event'];
  readonly field: string | null;
  readonly value: string | null;
  readonly undoes: number | null;
  readonly author: string;
  readonly at: number;
  readonly query: string | null;
  readonly rows: number;
}
export type NewEvent = Omit<StoredEvent, 'sequence' | 'at'>;

/** The number by which marks and columns name a dataset. Throws `not-found`. */
export const numberOf = (db: Db, id: string): number =>
  found(
    db
      .prepare<[string], number>(
        'select number from dataset_numbers join datasets on id = dataset_id where id = ? and visible = 1',
      )
      .pluck()
      .get(id),
    'dataset',
    id,
  );

/** Stores an event, and returns its sequence number. `visible`: whether its changes are complete. */
export function storeEvent(db: Db, event: NewEvent, visible: boolean): number {
  const { lastInsertRowid } = db
    .prepare(
      `insert into curation_events (dataset_id, event, field, value, undoes, author, at, query, rows, visible)
       values (@dataset_id, @event, @field, @value, @undoes, @author, @at, @query, @rows, @visible)`,
    )
    .run({ ...event, at: Date.now(), visible: Number(visible) });
  return Number(lastInsertRowid);
}

export const eventOf = (db: Db, sequence: number): StoredEvent =>
  found(
    db.prepare<[number], StoredEvent>('select * from curation_events where sequence = ?').get(sequence),
    'step',
    String(sequence),
  );

/** A number that grows with each write to the cells of a dataset, one that is taken back included. */
export const cellWrites = (db: Db, id: string): number =>
  db
    .prepare<[string], number>(
      'select total(generation) from row_parts p join dataset_numbers n on n.number = p.number where n.dataset_id = ?',
    )
    .pluck()
    .get(id) ?? 0;

/** Throws `conflict` if another change of the dataset is not finished. */
export function refuseWhileChanging(db: Db, id: string): void {
  const other = db.prepare('select 1 from curation_events where dataset_id = ? and visible = 0').get(id);
  if (other !== undefined)
    throw new WhetstoneError('conflict', 'Another change of this dataset is not finished yet.', {
      where: id,
      hint: 'Wait for it, or cancel it.',
    });
}

const shown = (stored: StoredEvent, applied: ReadonlySet<number>): CurationEvent => {
  const { sequence, event, field, value, undoes, author, at, query, rows } = stored;
  const isStep = event === 'undo' || event === 'redo';
  const state = isStep ? 'step' : applied.has(sequence) ? 'applied' : 'undone';
  return { sequence, event, field, value, undoes, author, at, query, rows, state };
};

/** An event with its state. */
export const shownEvent = (db: Db, sequence: number): CurationEvent => {
  const event = eventOf(db, sequence);
  return shown(event, new Set(stacksOf(db, event.dataset_id).applied));
};

/** The steps of a dataset, newest first. */
export function historyOf(db: Db, id: string, before: number | null): CurationEvent[] {
  const applied = new Set(stacksOf(db, id).applied);
  return db
    .prepare<[string, number], StoredEvent>(
      'select * from curation_events where dataset_id = ? and visible = 1 and sequence < ? ' +
        'order by sequence desc limit 500',
    )
    .all(id, before ?? Number.MAX_SAFE_INTEGER)
    .map((each) => shown(each, applied));
}

/** The steps that changed a row, newest first, at most 1,000. */
export function stepsOfRow(db: Db, id: string, row: number, hasMark: (event: number) => boolean): RowStep[] {
  const cells = db.prepare<[number, number], RowStep['cells'][number]>(
    'select field, before, after from curation_cells where event = ? and row = ?',
  );
  return historyOf(db, id, null)
    .slice(0, mostRows)
    .map((event) => ({ ...event, cells: cells.all(event.undoes ?? event.sequence, row) }))
    .filter(({ cells: own, undoes, sequence }) => own.length > 0 || hasMark(undoes ?? sequence));
}
