import type { Db } from '../database.ts';
import { Bits } from './bits.ts';
import { partRows } from './part.ts';

/** Bytes of the bit set of one part. */
export const partBytes = partRows / 8;

/** The marks of rows by name (`excluded`, `tag:dup`, `flag:review`, `split:test`, `note`). */
export function marksOf(db: Db, number: number, size: number): Map<string, Bits> {
  const marks = new Map<string, Bits>();
  const stored = db.prepare<[number], { name: string; part: number; rows: Buffer }>(
    'select name, part, rows from row_marks where number = ? order by name',
  );
  for (const { name, part, rows } of stored.iterate(number)) putPart(bitsOf(marks, name, size), part, rows);
  return marks;
}

const bitsOf = (marks: Map<string, Bits>, name: string, size: number): Bits => {
  const bits = marks.get(name) ?? new Bits(size);
  marks.set(name, bits);
  return bits;
};

/** Writes the bytes of one part into a bit set; rows that lie beyond its size are left out. */
export function putPart(bits: Bits, part: number, bytes: Buffer): void {
  const words = new Uint32Array(bytes.buffer.slice(bytes.byteOffset, bytes.byteOffset + bytes.length));
  const at = (part * partRows) / 32;
  if (at < bits.words.length) bits.words.set(words.subarray(0, bits.words.length - at), at);
}

/** The parts of a bit set that are not empty, as bytes. */
export function* partsIn(bits: Bits): Generator<{ part: number; rows: Buffer }> {
  const step = partRows / 32;
  for (let at = 0; at < bits.words.length; at += step) {
    const words = new Uint32Array(step);
    words.set(bits.words.subarray(at, at + step));
    if (words.some((word) => word !== 0)) yield { part: at / step, rows: Buffer.from(words.buffer) };
  }
}

/** The rows of a dataset that are excluded from training. */
export function excludedOf(db: Db, id: string): { has(row: number): boolean; readonly count: number } {
  const stored = db
    .prepare<[string], { part: number; rows: Buffer }>(
      `select part, rows from row_marks m join dataset_numbers n on n.number = m.number
       where n.dataset_id = ? and m.name = 'excluded'`,
    )
    .all(id);
  const last = stored.reduce((most, { part }) => Math.max(most, part), -1);
  const bits = new Bits((last + 1) * partRows);
  for (const { part, rows } of stored) putPart(bits, part, rows);
  return bits;
}
