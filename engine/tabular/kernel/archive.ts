/** An archive of cells, each with the best entry found for it (Mouret and Clune 2015, arXiv:1504.04909). */
import type { RandomStream } from '../../random/random.ts';
import { drawn } from './tables.ts';

/** Plain data, part of an agent’s memory. `T` is what a cell keeps. */
export interface Archive<T> {
  readonly cells: { readonly key: number; entry: T; score: number; length: number; chosen: number }[];
}

export const newArchive = <T>(): Archive<T> => ({ cells: [] });

/** Keeps an entry whose cell is new, or whose score is higher, or equal in fewer steps. Returns true if it is kept. */
export const filed = <T>(
  { cells }: Archive<T>,
  key: number,
  score: number,
  length: number,
  entry: () => T,
): boolean => {
  const known = cells.find((cell) => cell.key === key);
  if (!known) {
    cells.push({ key, entry: entry(), score, length, chosen: 0 });
    return true;
  }
  if (score < known.score || (score === known.score && length >= known.length)) return false;
  Object.assign(known, { entry: entry(), score, length, chosen: 0 });
  return true;
};

/** A cell drawn with weight 1/√(1 + times chosen), and counted as chosen once more. */
export const pickedCell = <T>({ cells }: Archive<T>, draw: RandomStream): Archive<T>['cells'][number] => {
  const cell =
    cells[
      drawn(
        cells.map(({ chosen }) => 1 / Math.sqrt(1 + chosen)),
        draw,
      )
    ];
  cell.chosen++;
  return cell;
};
