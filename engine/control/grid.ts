import { WhetstoneError } from '../common/errors.ts';
import type { Cells } from './control-world.ts';

/** Moves in the order of `moves`: [columns, rows]. */
const directions = [
  [0, -1],
  [0, 1],
  [-1, 0],
  [1, 0],
] as const;

/** Names of the four moves, as actions. */
export const moves: readonly string[] = ['up', 'down', 'left', 'right'];

/** A map of cells, read from rows of text: `#` is a wall, and each other sign keeps its meaning. */
export interface Grid {
  readonly width: number;
  readonly height: number;
  /** Cells that are no wall, row by row. */
  readonly open: readonly number[];
  /** Number of a cell among the open ones; −1 for a wall. */
  readonly openIndex: Int32Array;
  /** The only cell with a sign. */
  cellOf(sign: string): number;
  signAt(cell: number): string;
  /** Column and row of a cell, each −1 to 1 over the map, into two numbers of `out`. */
  observe(cell: number, out: Float32Array, to: number): void;
  /** The cell that a move leads to: the same one if a wall is in the way. */
  moved(cell: number, move: number): number;
}

/** Throws `invalid-input` if rows differ in length, or the border is not all wall. */
export const gridOf = (rows: readonly string[]): Grid => {
  const [width, height] = [rows[0].length, rows.length];
  const isBorder = (cell: number) =>
    cell < width || cell >= width * (height - 1) || cell % width === 0 || cell % width === width - 1;
  const signs = [...rows.join('')];
  if (rows.some((row) => row.length !== width) || signs.some((sign, cell) => isBorder(cell) && sign !== '#'))
    throw new WhetstoneError('invalid-input', 'A map has rows of one length, and walls all around.', {
      where: 'rows',
    });
  const open = signs.flatMap((sign, cell) => (sign === '#' ? [] : [cell]));
  const openIndex = new Int32Array(signs.length).fill(-1);
  open.forEach((cell, at) => (openIndex[cell] = at));
  return {
    width,
    height,
    open,
    openIndex,
    cellOf: (sign) => signs.indexOf(sign),
    signAt: (cell) => signs[cell],
    observe: (cell, out, to) => {
      out[to] = (2 * (cell % width)) / (width - 1) - 1;
      out[to + 1] = (2 * Math.floor(cell / width)) / (height - 1) - 1;
    },
    moved: (cell, move) => {
      const [right, down] = directions[move];
      const next = cell + right + down * width;
      return openIndex[next] < 0 ? cell : next;
    },
  };
};

/** The cells of a map in which each open cell has so many states, numbered one behind the other. */
export const cellsOf = ({ width, height, open }: Grid, states = 1): Cells => ({
  columns: width,
  rows: height,
  open,
  placeOf: (index) => Math.floor(index / states),
});
