import type { Db } from '../database.ts';
import { Bits } from './bits.ts';
import { putPart } from './marks.ts';

/** Sets of findings that describe all rows, and are no fault of any. */
export const isDescription = (name: string): boolean => /^(?:language|length)-/.test(name);

/** The rows of each finding of the newest examination, by `finding:` and its name. */
export function findingMarks(db: Db, id: string, size: number): Map<string, Bits> {
  const marks = new Map<string, Bits>();
  const stored = db.prepare<[string], { name: string; part: number; rows: Buffer }>(
    `select name, part, rows from finding_rows where examination =
       (select max(id) from examinations where dataset_id = ? and visible = 1) order by name`,
  );
  for (const { name, part, rows } of stored.iterate(id)) {
    const key = `finding:${name}`;
    const bits = marks.get(key) ?? new Bits(size);
    marks.set(key, bits);
    putPart(bits, part, rows);
  }
  return marks;
}

/** The number of the newest examination: it changes with the findings. */
export const examinationOf = (db: Db, id: string): number =>
  db
    .prepare<[string], number | null>('select max(id) from examinations where dataset_id = ? and visible = 1')
    .pluck()
    .get(id) ?? 0;
