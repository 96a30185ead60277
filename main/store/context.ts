import { WhetstoneError } from '../../engine/common/errors.ts';
import type { Db } from './database.ts';

/** Context of a query module: the connection and the workspace's folder. */
export interface StoreContext {
  readonly db: Db;
  /** Absolute path of the workspace's folder. */
  readonly folder: string;
  /** Deletes invisible rows in the background. */
  readonly tidy: () => void;
  /** Ids of datasets and label sets in the making, which are invisible but must not be deleted. */
  readonly making: Set<string>;
}

/** Most rows in a page of a list; callers request the following ones separately. */
export const mostRows = 1000;

/** Most characters in a page: a page of long texts ends early, but has at least one row. */
export const mostCharacters = 16_000_000;

/** Takes rows until the characters of a page are reached. */
export function fitting<T>(rows: Iterable<T>, charactersOf: (row: T) => number): T[] {
  const taken: T[] = [];
  let characters = 0;
  for (const row of rows) {
    characters += charactersOf(row);
    if (characters > mostCharacters && taken.length > 0) break;
    taken.push(row);
  }
  return taken;
}

/** Returns the row. Throws `not-found` if it is undefined. */
export function found<T>(row: T | undefined, what: string, id: string): T {
  if (row === undefined)
    throw new WhetstoneError('not-found', `There is no ${what} with this id in the workspace.`, {
      where: id,
      hint: 'It may have been removed; reload the list.',
    });
  return row;
}

/** Converts SQLite's 0, 1 and null to a boolean or null. */
export const flag = (value: number | null): boolean | null => (value === null ? null : value === 1);
export const unflag = (value: boolean | null): number | null => (value === null ? null : Number(value));
