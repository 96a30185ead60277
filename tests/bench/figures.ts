import { cpus } from 'node:os';

/** The median; of an even count, the mean of the two middle values. */
export const median = (values: readonly number[]): number => {
  const sorted = values.toSorted((a, b) => a - b);
  const half = sorted.length >> 1;
  return sorted.length % 2 ? sorted[half] : (sorted[half - 1] + sorted[half]) / 2;
};

/** Rounds to the significant digits that a measurement supports. */
export const rounded = (value: number, digits = 4): number => Number(value.toPrecision(digits));

export const processor = (): string => `${cpus()[0].model.trim()}, ${cpus().length} cores`;

/** Prints progress to standard error: standard output is reserved for the last line. */
export const say = (line: string): void => console.error(line);
