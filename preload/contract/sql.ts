import * as z from 'zod';
import { call, feed } from './define.ts';

const id = z.string().min(1);

/** A column of the table `rows`. */
export const SqlColumn = z.strictObject({
  /** Its name, and the same as it is written in a statement: quoted where it must be. */
  name: z.string(),
  written: z.string(),
  /** Its contents; for a column of the file with another name, that name. */
  about: z.string(),
  kind: z.enum(['built-in', 'extra']),
});
export type SqlColumn = z.infer<typeof SqlColumn>;

/** A number, a text, or null; integers beyond 2^53, infinities and bytes are texts. */
export const SqlValue = z.union([z.string(), z.number(), z.null()]);
export type SqlValue = z.infer<typeof SqlValue>;

export const SqlResult = z.strictObject({
  columns: z.array(z.string()),
  /** The first rows: fewer than the limit if their texts are long. */
  rows: z.array(z.array(SqlValue)),
  /** Number of all rows; if not exact, there are more. */
  total: z.number(),
  isExact: z.boolean(),
});
export type SqlResult = z.infer<typeof SqlResult>;

export const SqlAnswer = z.strictObject({ seconds: z.number(), result: SqlResult });
export type SqlAnswer = z.infer<typeof SqlAnswer>;

/** SQL over the rows of a dataset, as the table `rows`. */
export const sql = {
  columns: call(z.strictObject({ id }), z.array(SqlColumn)),
  /**
   * Runs one statement that only reads; the feed yields its result, and closing it ends the statement. Throws `invalid-input` with SQLite's
   * message, also when the statement has not finished after `seconds`.
   */
  run: feed(
    z.strictObject({
      id,
      sql: z.string().min(1).max(100_000),
      limit: z.int().min(1).max(10_000).default(1000),
      seconds: z.int().min(1).max(3600).default(60),
    }),
    SqlAnswer,
  ),
};
