import { join } from 'node:path';
import { onTestFinished } from 'vitest';
import type { Edit } from '../../main/store/curation/steps.ts';
import { openDatabase, type Db } from '../../main/store/database.ts';
import { temporaryTables } from '../../main/store/labels/label-set-making.ts';
import { storeModules } from '../../main/store/modules.ts';
import { atOnce } from '../../main/store/slices.ts';
import { sweep } from '../../main/store/sweep.ts';
import { temporaryFolder } from './folder.ts';

/** Who makes the changes. */
export const by = { author: 'me', query: null };

/** Fills a database with a dataset `d` of these rows, four to a prompt. */
export function fill(db: Db, count: number): void {
  db.prepare("insert into datasets values ('d', 'set', 'f', 'h', 5, ?, '{}', 1)").run(count);
  const insert = db.prepare(
    'insert into dataset_rows (dataset_id, row, line, prompt_id, prompt, answer, correct, source, extra) ' +
      "values ('d', ?, ?, ?, ?, ?, ?, 'file', ?)",
  );
  db.transaction(() => {
    for (let row = 0; row < count; row += 1)
      insert.run(
        row,
        row + 1,
        `p${row >> 2}`,
        `question ${row >> 2}`,
        `answer ${row}`,
        row % 2,
        `{"level":${row % 5}}`,
      );
  })();
}

/** The store's modules on a small dataset, without threads. */
export function opened(count = 12) {
  const folder = temporaryFolder();
  const db = openDatabase(join(folder, 'workspace.db'), { create: true });
  onTestFinished(() => void db.close());
  db.pragma('synchronous = OFF');
  db.exec(temporaryTables);
  fill(db, count);
  const making = new Set<string>();
  const tidy = (): void => atOnce(sweep(db, making));
  const modules = storeModules({ db, folder, tidy, making });
  tidy();
  const { curation, rows } = modules;
  const change = (event: number, numbers: readonly number[], made: Edit): void => {
    try {
      atOnce(curation.editRows('d', event, numbers, made));
    } catch (error) {
      atOnce(curation.abandon(event));
      throw error;
    }
    curation.finish(event);
  };
  const edit = (
    numbers: readonly number[],
    column: string,
    value: string | number | boolean | null,
  ): void => {
    const event = curation.begin('d', { event: 'edit', field: column, value: String(value) }, by);
    change(event, numbers, { column, value, promptId: `id of ${String(value)}` });
  };
  const note = (numbers: readonly number[], value: string): void =>
    change(curation.begin('d', { event: 'note', field: null, value }, by), numbers, { note: value });
  const step = (which: 'undo' | 'redo'): void => {
    const { event, cells } = curation.startStep('d', which, 'me');
    if (cells === 0) return;
    for (let last: number | null = -1; last !== null;) last = atOnce(curation.repeat('d', event, last));
    curation.finish(event);
  };
  const all = (query = 'is:excluded OR is:included') =>
    atOnce(rows.page({ id: 'd', query, sort: null, offset: 0, limit: 500 })).rows;
  return {
    db,
    modules,
    curation,
    making,
    edit,
    note,
    history: () => curation.history('d'),
    step,
    all,
    numbers: (query: string) => all(query).map(({ row }) => row),
  };
}
