import { onTestFinished } from 'vitest';
import { openReadOnly, type Db } from '../../main/store/database.ts';
import { runStatement } from '../../main/store/sql/statement.ts';
import type { SqlResult } from '../../preload/contract/sql.ts';

/** Runs statements over the dataset `d` of a store's file, without a process. */
export function asking(db: Db) {
  const source = openReadOnly(db.name);
  onTestFinished(() => void source.close());
  const ask = (sql: string, limit = 1000): SqlResult => runStatement(source, { dataset: 'd', sql, limit });
  return { ask, rows: (sql: string) => ask(sql).rows, value: (sql: string) => ask(sql).rows[0][0] };
}
