import type { Db } from '../database.ts';

/** Reads the scores of an answer. */
export function scoreReader(db: Db): (id: string) => Record<string, number> {
  const select = db
    .prepare<[string], [string, number | null]>('select scorer, value from scores where trajectory_id = ?')
    .raw();
  return (id) =>
    Object.fromEntries(select.all(id).map(([scorer, value]) => [scorer, value ?? Number.NaN] as const));
}
