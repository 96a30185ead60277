import { cpus } from 'node:os';

/** Middle value; the mean of the two middle ones where there is none. */
export const median = (values: readonly number[]): number => {
  const sorted = values.toSorted((a, b) => a - b);
  const half = sorted.length >> 1;
  return sorted.length % 2 ? sorted[half] : (sorted[half - 1] + sorted[half]) / 2;
};

/** To so many significant digits: what a measurement of this kind can say. */
export const rounded = (value: number, digits = 4): number => Number(value.toPrecision(digits));

export const processor = (): string => `${cpus()[0].model.trim()}, ${cpus().length} cores`;

/** What a benchmark says on the way: standard output is kept for its last line. */
export const say = (line: string): void => console.error(line);
