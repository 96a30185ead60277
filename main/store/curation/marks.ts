import type { Db } from '../database.ts';
import { Bits } from '../rows/bits.ts';
import { partBytes, partsIn, putPart } from '../rows/marks.ts';
import { partOf, partRows } from '../rows/part.ts';

/** The rows that have a mark, of the `size` first ones. */
export function markedRows(db: Db, number: number, name: string, size: number): Bits {
  const bits = new Bits(size);
  const stored = db.prepare<[number, string], { part: number; rows: Buffer }>(
    'select part, rows from row_marks where number = ? and name = ?',
  );
  for (const { part, rows } of stored.iterate(number, name)) putPart(bits, part, rows);
  return bits;
}

/** Toggles a mark of rows, and notes in the event which. Within the caller's transaction. */
export function toggleMark(db: Db, number: number, event: number, name: string, rows: Bits): void {
  const log = db.prepare('insert into curation_marks (event, name, part, rows) values (?, ?, ?, ?)');
  for (const { part, rows: bytes } of partsIn(rows)) {
    log.run(event, name, part, bytes);
    toggleBytes(db, number, name, part, bytes);
  }
}

/** Toggles what an event has toggled: it is undone, or holds again. Returns whether it toggled any mark. */
export function toggleAgain(db: Db, number: number, event: number): boolean {
  const toggled = db
    .prepare<[number], { name: string; part: number; rows: Buffer }>(
      'select name, part, rows from curation_marks where event = ?',
    )
    .all(event);
  for (const { name, part, rows } of toggled) toggleBytes(db, number, name, part, rows);
  return toggled.length > 0;
}

/** Toggles a mark of the rows of one part. Within the caller's transaction. */
export function toggleBytes(db: Db, number: number, name: string, part: number, toggled: Buffer): void {
  const key: [number, string, number] = [number, name, part];
  const before = db
    .prepare<[number, string, number], Buffer>(
      'select rows from row_marks where number = ? and name = ? and part = ?',
    )
    .pluck()
    .get(...key);
  const after = Buffer.from(toggled.map((byte, i) => byte ^ (before?.[i] ?? 0)));
  if (after.every((byte) => byte === 0))
    db.prepare('delete from row_marks where number = ? and name = ? and part = ?').run(...key);
  else
    db.prepare(
      'insert into row_marks (number, name, part, rows) values (?, ?, ?, ?) ' +
        'on conflict do update set rows = excluded.rows',
    ).run(...key, after);
}

/** Sets or clears a mark that follows from a cell, such as that of a note. */
export function setMark(db: Db, number: number, name: string, row: number, isSet: boolean): void {
  const bytes = Buffer.alloc(partBytes);
  const at = row % partRows;
  bytes[at >>> 3] = 1 << (at & 7);
  const stored = markedRows(db, number, name, row + 1);
  if (stored.has(row) !== isSet) toggleBytes(db, number, name, partOf(row), bytes);
}

/** True if an event toggled a mark of a row. */
export function isToggled(db: Db, event: number, row: number): boolean {
  const at = row % partRows;
  return db
    .prepare<[number, number], Buffer>('select rows from curation_marks where event = ? and part = ?')
    .pluck()
    .all(event, partOf(row))
    .some((rows) => ((rows[at >>> 3] >>> (at & 7)) & 1) === 1);
}
