/** Where episodes go, in a world whose states lie on a map. */
import type { Cells, Copies } from '../../control/index.ts';
import type { CellCoverage } from '../../schema/coverage.ts';

/** Episodes whose paths are kept, at most, and all their steps. */
const [PATHS, STEPS] = [16, 8192];

/** Counts the cells of episodes that run side by side, and keeps the paths of the first ones. */
export class Travelled {
  readonly #cells: Cells;
  readonly #visits: Float64Array;
  readonly #paths: number[][];
  readonly #ends: number[];

  /** Begins in the cells where the copies are. */
  constructor(cells: Cells, copies: Copies) {
    this.#cells = cells;
    this.#visits = new Float64Array(cells.open.length);
    this.#ends = Array.from(copies.indices, (index) => cells.placeOf(index));
    for (const place of this.#ends) this.#visits[place]++;
    this.#paths = this.#ends.slice(0, PATHS).map((place) => [place]);
  }

  /** The copy's episode has come to this state. */
  step(copy: number, index: number): void {
    const place = this.#cells.placeOf(index);
    this.#visits[place]++;
    this.#ends[copy] = place;
    this.#paths[copy]?.push(place);
  }

  /** Place among the open cells where the copy's episode is. */
  endOf(copy: number): number {
    return this.#ends[copy];
  }

  /** Column and row of the same. */
  cellOf(copy: number): readonly [number, number] {
    const cell = this.#cells.open[this.#ends[copy]];
    return [cell % this.#cells.columns, Math.floor(cell / this.#cells.columns)];
  }

  get coverage(): CellCoverage {
    let steps = 0;
    const sizes = this.#paths.map((path) => (steps += path.length));
    return {
      columns: this.#cells.columns,
      rows: this.#cells.rows,
      cells: [...this.#cells.open],
      evaluation: [...this.#visits],
      paths: this.#paths.filter((_path, at) => at === 0 || sizes[at] <= STEPS),
    };
  }
}

/** Visits of states, by their number, as visits of the open cells. */
export const visitsOfCells = (cells: Cells, visits: readonly number[]): number[] => {
  const out = new Array<number>(cells.open.length).fill(0);
  visits.forEach((times, index) => (out[cells.placeOf(index)] += times));
  return out;
};
