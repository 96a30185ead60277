import Database from 'better-sqlite3';
import { WhetstoneError } from '../../../engine/common/errors.ts';

/** A SQLite file of another program. */
export interface ForeignDatabase {
  /** Columns of a table; none if there is no such table. */
  columns(table: string): string[];
  rows<T>(sql: string, values: readonly string[]): IterableIterator<T>;
  close(): void;
}

/** Opens a SQLite file of another program, read-only. Throws `invalid-input` with the path. */
export function openForeign(path: string): ForeignDatabase {
  const refused = (error: unknown): WhetstoneError =>
    new WhetstoneError('invalid-input', `This database cannot be read: ${(error as Error).message}.`, {
      where: path,
      hint: 'Close the program that writes it, or copy the file with those of the same name next to it.',
      cause: error,
    });
  const guarded = <T>(action: () => T): T => {
    try {
      return action();
    } catch (error) {
      throw refused(error);
    }
  };
  const db = guarded(() => new Database(path, { readonly: true, fileMustExist: true }));
  return {
    columns: (table) =>
      guarded(() =>
        db.prepare<[string], { name: string }>('select name from pragma_table_info(?)').all(table),
      ).map(({ name }) => name),
    *rows<T>(sql: string, values: readonly string[]): IterableIterator<T> {
      const rows = guarded(() => db.prepare<string[], T>(sql).iterate(...values));
      try {
        for (let next = guarded(() => rows.next()); !next.done; next = guarded(() => rows.next()))
          yield next.value;
      } finally {
        rows.return?.();
      }
    },
    close: () => db.close(),
  };
}
