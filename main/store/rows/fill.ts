import { staged, type Db } from '../database.ts';
import type { Sliced } from '../slices.ts';
import { columnBytes, PartBuilder, partOf, partRows, type CellRow, type PartColumn } from './part.ts';

/** Number of rows read in one step. */
const some = 200;

/** The columns of one part, read from its rows. */
export function* readPart(db: Db, id: string, part: number): Sliced<ReadonlyMap<string, PartColumn>> {
  const rows = db.prepare<[string, number, number], CellRow>(
    'select row, line, prompt, answer, reference, correct, source, extra from dataset_rows ' +
      'where dataset_id = ? and row >= ? and row < ?',
  );
  const builder = new PartBuilder(part);
  const end = (part + 1) * partRows;
  for (let from = part * partRows; from < end; from += some, yield)
    for (const row of rows.iterate(id, from, Math.min(end, from + some))) builder.add(row);
  return builder.columns();
}

/** Number of rows up to the last one. */
export const sizeOf = (db: Db, id: string): number =>
  (db
    .prepare<[string], number | null>('select max(row) from dataset_rows where dataset_id = ?')
    .pluck()
    .get(id) ?? -1) + 1;

const filling = new WeakSet<Db>();

/** Fills the columns of imported and changed rows; one call at a time does the work of all. */
export function* fillParts(db: Db): Sliced<void> {
  if (filling.has(db)) return;
  filling.add(db);
  try {
    const datasets = db.prepare<[], { id: string; number: number }>(
      'select id, number from datasets join dataset_numbers on dataset_id = id where visible = 1',
    );
    for (const { id, number } of datasets.all()) {
      const count = sizeOf(db, id) === 0 ? 0 : partOf(sizeOf(db, id) - 1) + 1;
      for (let part = 0; part < count; part += 1) yield* fillPart(db, id, number, part);
    }
  } finally {
    filling.delete(db);
  }
}

function* fillPart(db: Db, id: string, number: number, part: number): Sliced<void> {
  const state = db.prepare<[number, number], { generation: number; filled: number }>(
    'select generation, filled from row_parts where number = ? and part = ?',
  );
  const { generation, filled } = state.get(number, part) ?? { generation: 0, filled: -1 };
  if (generation === filled) return;
  const columns = yield* readPart(db, id, part);
  const insert = db.prepare(
    'insert into row_columns (number, name, part, kind, data) values (?, ?, ?, ?, ?)',
  );
  staged(db, () => {
    // a removed dataset has no number, and changed rows are read again
    if (db.prepare('select 1 from dataset_numbers where number = ?').get(number) === undefined) return;
    if ((state.get(number, part)?.generation ?? 0) !== generation) return;
    db.prepare('delete from row_columns where number = ? and part = ?').run(number, part);
    for (const [name, column] of columns) insert.run(number, name, part, column.kind, columnBytes(column));
    db.prepare(
      'insert into row_parts values (:number, :part, :generation, :generation) ' +
        'on conflict do update set filled = excluded.filled',
    ).run({ number, part, generation });
  });
  yield;
}

/** Declares the columns of a part outdated, in the transaction that changes one of its rows. */
export function outdatePart(db: Db, number: number, part: number): void {
  db.prepare(
    'insert into row_parts (number, part, generation) values (?, ?, 1) ' +
      'on conflict do update set generation = generation + 1',
  ).run(number, part);
}
