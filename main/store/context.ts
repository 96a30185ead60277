import { WhetstoneError } from '../../engine/schema/errors.ts';
import type { Db } from './database.ts';

/** What a query module gets: the connection and the workspace's folder. */
export interface StoreContext {
  readonly db: Db;
  /** Absolute path of the workspace's folder. */
  readonly folder: string;
}

/** The row, or `not-found` with what was asked for. */
export function found<T>(row: T | undefined, what: string, id: string): T {
  if (row === undefined) throw new WhetstoneError('not-found', `There is no ${what} with this id in the workspace.`, { where: id, hint: 'It may have been removed; look at the list again.' });
  return row;
}

/** SQLite's 0, 1 and null. */
export const flag = (value: number | null): boolean | null => (value === null ? null : value === 1);
export const unflag = (value: boolean | null): number | null => (value === null ? null : Number(value));
