import type { Db } from '../database.ts';
import { isDescription } from './findings.ts';
import { Bits } from './bits.ts';
import { partRows, textEnd } from './part.ts';

/** The dataset whose marks are looked up. */
interface MarkedTable {
  readonly db: Db;
  readonly id: string;
  readonly number: number;
  readonly size: number;
  readonly marks: ReadonlyMap<string, Bits>;
}

/**
 * The rows with a mark: `excluded`, `note`, `edited`, `added`, or `tag:dup`, in any case; a name that ends
 * with a colon means every mark of this kind.
 */
export function setsOf(table: MarkedTable, name: string): Bits {
  if (name === 'edited' || name === 'added') return changedRows(table, name);
  const wanted = name.toLowerCase();
  const isWanted = (mark: string): boolean =>
    wanted.endsWith(':')
      ? mark.startsWith(wanted) && !isDescription(mark.slice(wanted.length))
      : mark.toLowerCase() === wanted;
  return [...table.marks]
    .filter(([mark]) => isWanted(mark))
    .reduce((all, [, bits]) => all.or(bits), new Bits(table.size));
}

/** The rows whose note contains a text, or is it. */
export function noteRows({ db, number, size }: MarkedTable, text: string, whole: boolean): Bits {
  const wanted = text.toLowerCase();
  const notes = db
    .prepare<[number], { row: number; note: string }>('select row, note from row_notes where number = ?')
    .all(number)
    .filter(({ note }) => (whole ? note.toLowerCase() === wanted : note.toLowerCase().includes(wanted)));
  return Bits.of(
    size,
    notes.map(({ row }) => row),
  );
}

/** The rows with a cell that an event has changed, or that were added by hand. */
function changedRows({ db, id, size }: MarkedTable, what: 'edited' | 'added'): Bits {
  const rows = db
    .prepare<[string, string], number>(
      `select distinct c.row from curation_events e join curation_cells c on c.event = e.sequence
       where e.dataset_id = ? and e.event = ? and e.visible = 1 and
         (select count(*) from curation_events u where u.undoes = e.sequence and u.event = 'undo' and u.visible = 1) =
         (select count(*) from curation_events u where u.undoes = e.sequence and u.event = 'redo' and u.visible = 1)`,
    )
    .pluck()
    .all(id, what === 'edited' ? 'edit' : 'add');
  return Bits.of(size, rows);
}

/** The rows whose text contains a value, or is it; `texts` are the joined texts of parts. */
export function rowsWithText(
  texts: ReadonlyMap<number, string>,
  { value, whole }: { readonly value: string; readonly whole: boolean },
  size: number,
): Bits {
  const bits = new Bits(size);
  const wanted = value.toLowerCase() + (whole ? textEnd : '');
  for (const [part, joined] of texts) {
    let row = part * partRows;
    let end = joined.indexOf(textEnd);
    for (let at = joined.indexOf(wanted); at >= 0 && value !== '';) {
      for (; end < at; row += 1) end = joined.indexOf(textEnd, end + 1);
      const isWhole = at === 0 || joined[at - 1] === textEnd;
      if (!whole || isWhole) bits.add(row);
      at = joined.indexOf(wanted, whole && !isWhole ? at + 1 : end);
    }
  }
  return bits;
}
