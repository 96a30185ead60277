import { staged, type Db } from './database.ts';
import type { BoundRow } from './packed-rows.ts';
import type { Sliced } from './slices.ts';

/** Rows of one prompt that follow each other. */
type Run = { readonly promptId: string; readonly row: number; count: number };

/** Rows stored per slice. */
const some = 2000;
/** Characters of a prompt's id by which the rows are sorted in parts. */
const prefix = 2;

/**
 * The rows of each prompt of a dataset in the making, collected while its rows are stored, so that they can
 * be stored in the order of their key at the end.
 */
export class PromptRows {
  /** Number of rows collected. */
  rows = 0;
  readonly #runs = new Map<string, Run[]>();
  #last: Run | null = null;

  add(promptId: string, row: number): void {
    this.rows += 1;
    const last = this.#last;
    if (last?.promptId === promptId && last.row + last.count === row) {
      last.count += 1;
      return;
    }
    const key = promptId.slice(0, prefix);
    const run = { promptId, row, count: 1 };
    const known = this.#runs.get(key);
    if (known) known.push(run);
    else this.#runs.set(key, [run]);
    this.#last = run;
  }

  addPacked(rows: readonly BoundRow[]): void {
    for (const [row, , , promptId] of rows) this.add(textOf(promptId), Number(row));
  }

  /** Stores them for a dataset, which must be invisible. */
  *store(db: Db, datasetId: string): Sliced<void> {
    const number = db
      .prepare<[string], number>('select number from dataset_numbers where dataset_id = ?')
      .pluck()
      .get(datasetId);
    const insert = db.prepare('insert into prompt_rows values (?, ?, ?)');
    for (const part of this.#parts()) {
      staged(db, () => part.forEach(([promptId, row]) => insert.run(number, promptId, row)));
      yield;
    }
  }

  *#parts(): Generator<readonly (readonly [promptId: string, row: number])[]> {
    let part: [string, number][] = [];
    for (const key of [...this.#runs.keys()].sort())
      for (const { promptId, row, count } of this.#runs.get(key)?.sort(byPrompt) ?? [])
        for (let at = row; at < row + count; at++) {
          part.push([promptId, at]);
          if (part.length < some) continue;
          yield part;
          part = [];
        }
    yield part;
  }
}

const byPrompt = (a: Run, b: Run): number =>
  a.promptId === b.promptId ? a.row - b.row : a.promptId < b.promptId ? -1 : 1;
const textOf = (bytes: BoundRow[number]): string =>
  bytes instanceof Uint8Array ? Buffer.from(bytes.buffer, bytes.byteOffset, bytes.length).toString() : '';

/** Stores the rows of each prompt of an invisible dataset, by reading its rows. */
export function* storePromptRows(db: Db, datasetId: string): Sliced<void> {
  const rowsAfter = db.prepare<[string, number], { row: number; prompt_id: string }>(
    `select row, prompt_id from dataset_rows where dataset_id = ? and row > ? order by row limit ${some}`,
  );
  const collected = new PromptRows();
  for (let after = -1; ;) {
    const rows = rowsAfter.all(datasetId, after);
    if (rows.length === 0) break;
    for (const { row, prompt_id: promptId } of rows) collected.add(promptId, row);
    after = rows[rows.length - 1].row;
    yield;
  }
  yield* collected.store(db, datasetId);
}
