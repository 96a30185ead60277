import { WhetstoneError } from '../../../engine/common/errors.ts';
import type { Message } from '../../../engine/schema/conversation.ts';
import type { Db } from '../database.ts';
import { rowColumns, type StoredRow } from '../dataset-row.ts';
import { fromJson, toJson } from '../json.ts';
import { outdatePart } from '../rows/fill.ts';
import { extraName, partOf } from '../rows/part.ts';
import { setMark } from './marks.ts';

/** A stored column of a row before and after an event; `*`: the whole row, as JSON. */
export interface CellChange {
  readonly field: Field;
  readonly before: string | null;
  readonly after: string | null;
}
const stored = ['prompt', 'prompt_id', 'answer', 'reference', 'correct', 'messages', 'extra'] as const;
type Field = (typeof stored)[number] | 'note' | '*';
/** An edit of a column; `promptId` is that of a new prompt. */
export interface CellEdit {
  readonly column: string;
  readonly value: string | number | boolean | null;
  readonly promptId?: string;
}

/** A dataset that is changed. */
export interface Changed {
  readonly db: Db;
  readonly id: string;
  readonly number: number;
}

export const rowOf = ({ db, id }: Changed, row: number): StoredRow | undefined =>
  db
    .prepare<[string, number], StoredRow>(
      `select ${rowColumns} from dataset_rows where dataset_id = ? and row = ?`,
    )
    .get(id, row);

const cell = (row: StoredRow, field: (typeof stored)[number], after: string | null): CellChange[] => {
  const before = row[field] === null ? null : String(row[field]);
  return before === after ? [] : [{ field, before, after }];
};

const refused = (row: StoredRow, column: string, what: string, hint: string): WhetstoneError =>
  new WhetstoneError('invalid-input', what, { where: `row ${row.row}, ${column}`, hint });

/** The columns of a dataset from its file, beyond the built-in ones, as far as they are stored for queries. */
export const extraColumns = ({ db, number }: Changed): string[] =>
  db
    .prepare<[number], string>('select distinct name from row_columns where number = ?')
    .pluck()
    .all(number)
    .filter((name) => name.startsWith(extraName('')))
    .map((name) => name.slice(extraName('').length));

/**
 * The stored cells that an edit of a column changes; the column is named in any case, as in a query. `extras`:
 * those of the dataset. Throws `invalid-input` for values it cannot hold.
 */
export function editOf(
  row: StoredRow,
  { column, value, promptId = '' }: CellEdit,
  extras: readonly string[],
): CellChange[] {
  switch (column.toLowerCase()) {
    case 'prompt':
      return promptEdit(row, String(value ?? ''), promptId);
    case 'answer':
      return answerEdit(row, String(value ?? ''));
    case 'reference':
      return cell(row, 'reference', value === null ? null : String(value));
    case 'mark':
      if (typeof value === 'string' || typeof value === 'number')
        throw refused(row, 'mark', 'A mark is right, wrong or none.', 'Use true, false or null.');
      return cell(row, 'correct', value === null ? null : String(Number(value)));
    case 'source':
    case 'line':
    case 'length':
    case 'promptlength':
      throw refused(
        row,
        column,
        `'${column}' says where a row is from, and is not edited.`,
        'Add a tag or a note.',
      );
    default:
      return extraEdit(row, column.replace(/^extra\./i, ''), value, extras);
  }
}

function promptEdit(row: StoredRow, prompt: string, promptId: string): CellChange[] {
  if (row.messages !== null)
    throw refused(
      row,
      'prompt',
      'This prompt is a conversation.',
      'Edit its answer, or add a new row by hand.',
    );
  if (prompt.trim() === '')
    throw refused(row, 'prompt', 'A prompt has at least one sign.', 'Exclude the row instead.');
  return [...cell(row, 'prompt', prompt), ...cell(row, 'prompt_id', promptId)];
}

function answerEdit(row: StoredRow, answer: string): CellChange[] {
  if (row.messages === null) return cell(row, 'answer', answer);
  const messages = fromJson<Message[]>(row.messages);
  const last = messages.at(-1);
  if (last?.content !== row.answer)
    throw refused(
      row,
      'answer',
      'This answer is not the last message of its conversation.',
      'Add a new row by hand.',
    );
  const after = [...messages.slice(0, -1), { ...last, content: answer }];
  return [...cell(row, 'answer', answer), ...cell(row, 'messages', toJson(after))];
}

function extraEdit(
  row: StoredRow,
  named: string,
  value: CellEdit['value'],
  extras: readonly string[],
): CellChange[] {
  const before = row.extra === null ? {} : fromJson<Record<string, unknown>>(row.extra);
  const known = [...extras, ...Object.keys(before)];
  const column = known.includes(named)
    ? named
    : (known.find((name) => name.toLowerCase() === named.toLowerCase()) ?? named);
  const others = Object.entries(before).filter(([name]) => name !== column);
  const isEmpty = value === null || value === '';
  const after = isEmpty ? Object.fromEntries(others) : { ...before, [column]: value };
  return cell(row, 'extra', Object.keys(after).length === 0 ? null : toJson(after));
}

/** Writes cells into a row, with what is derived from them. Within the caller's transaction. */
export function writeCells(
  changed: Changed,
  row: number,
  cells: readonly { readonly field: Field; readonly to: string | null }[],
): void {
  const { db, id, number } = changed;
  for (const { field, to } of cells) {
    if (field === '*') writeRow(changed, row, to);
    else if (field === 'note') writeNote(changed, row, to);
    else
      db.prepare(`update dataset_rows set ${field} = ? where dataset_id = ? and row = ?`).run(
        field === 'correct' && to !== null ? Number(to) : to,
        id,
        row,
      );
  }
  if (cells.every(({ field }) => field === 'note')) return;
  outdatePart(db, number, partOf(row));
  if (cells.some(({ field }) => field === 'prompt' || field === 'answer' || field === '*'))
    indexAgain(changed, row);
}

function writeNote({ db, number }: Changed, row: number, note: string | null): void {
  if (note === null) db.prepare('delete from row_notes where number = ? and row = ?').run(number, row);
  else
    db.prepare(
      'insert into row_notes (number, row, note) values (?, ?, ?) on conflict do update set note = excluded.note',
    ).run(number, row, note);
  setMark(db, number, 'note', row, note !== null);
}

/** Inserts a row that was added by hand, or takes it out. */
function writeRow({ db, id }: Changed, row: number, json: string | null): void {
  const removed = json === null;
  const { changes } = removed
    ? db.prepare('delete from dataset_rows where dataset_id = ? and row = ?').run(id, row)
    : db
        .prepare(
          `insert or ignore into dataset_rows (dataset_id, ${rowColumns}) values (@dataset, ${rowColumns.replaceAll(/\w+/g, '@$&')})`,
        )
        .run({ ...fromJson<StoredRow>(json), dataset: id });
  db.prepare('update datasets set rows = rows + ? where id = ?').run(removed ? -changes : changes, id);
}

/** Brings the full-text index up to date with a row, if it has got this far. */
function indexAgain({ db, id, number }: Changed, row: number): void {
  const indexed = db
    .prepare<[number], number>('select indexed from dataset_numbers where number = ?')
    .pluck()
    .get(number);
  if ((indexed ?? 0) <= row) return;
  const rowid = number * 2 ** 32 + row;
  db.prepare('delete from row_search where rowid = ?').run(rowid);
  db.prepare(
    'insert into row_search (rowid, prompt, answer) select ?, prompt, answer from dataset_rows where dataset_id = ? and row = ?',
  ).run(rowid, id, row);
}
