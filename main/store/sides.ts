import { WhetstoneError } from '../../engine/common/errors.ts';
import type { Db } from './database.ts';
import { markedRows } from './curation/marks.ts';
import { excludedOf } from './rows/marks.ts';
import { sizeOf } from './rows/fill.ts';

/** Rows of a dataset for a run: parts of a split to train on, and to hold out; null: not by a split. */
export interface RunParts {
  readonly train: string | null;
  readonly heldout: string | null;
}
export const allRows: RunParts = { train: null, heldout: null };

/** The side of a row of a run's data: `rest` is divided by the held-out share. */
export type Side = 'train' | 'heldout' | 'rest';

/**
 * A function that finds the side of a row; null for one that the run does not use. Throws `invalid-input`,
 * with the field of the task in `where`, for a part without rows.
 */
export function sidesOf(db: Db, id: string, { train, heldout }: RunParts): (row: number) => Side | null {
  const excluded = excludedOf(db, id);
  const number =
    db.prepare<[string], number>('select number from dataset_numbers where dataset_id = ?').pluck().get(id) ??
    -1;
  const part = (name: string | null, field: string) => {
    if (name === null) return null;
    const rows = markedRows(db, number, `split:${name}`, sizeOf(db, id));
    if (!Iterator.from(rows).some((row) => !excluded.has(row)))
      throw new WhetstoneError('invalid-input', `This dataset has no rows in a part '${name}'.`, {
        where: `task.${field}`,
        hint: 'Split it on its screen, or choose another part.',
      });
    return rows;
  };
  const [trained, kept] = [part(train, 'trainPart'), part(heldout, 'heldoutPart')];
  return (row) => {
    if (excluded.has(row)) return null;
    if (kept?.has(row) === true) return 'heldout';
    if (trained && !trained.has(row)) return null;
    return kept ? 'train' : 'rest';
  };
}
