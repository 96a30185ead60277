import { WhetstoneError } from '../../engine/common/errors.ts';
import type { Db } from './database.ts';

/** What a query module gets: the connection and the workspace's folder. */
export interface StoreContext {
  readonly db: Db;
  /** Absolute path of the workspace's folder. */
  readonly folder: string;
  /** Clears away in the background what was just made invisible. */
  readonly tidy: () => void;
  /** Datasets and label sets that are being made: invisible, and not to be cleared away. */
  readonly making: Set<string>;
}

/** The most rows of a list that come at once; whoever wants more asks for those after them. */
export const mostRows = 1000;

/** Most characters of their texts: a page ends early, though never without a row, where texts are long. */
const mostCharacters = 16_000_000;

/** Rows while their texts fit into one answer. */
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

/** The row, or `not-found` with what was asked for. */
export function found<T>(row: T | undefined, what: string, id: string): T {
  if (row === undefined)
    throw new WhetstoneError('not-found', `There is no ${what} with this id in the workspace.`, {
      where: id,
      hint: 'It may have been removed; look at the list again.',
    });
  return row;
}

/** SQLite's 0, 1 and null. */
export const flag = (value: number | null): boolean | null => (value === null ? null : value === 1);
export const unflag = (value: boolean | null): number | null => (value === null ? null : Number(value));
