import type { Column } from '../series.ts';

/** Points of one metric of an imported run, as columns, in the order of its log. */
export interface LogPoints {
  readonly name: string;
  readonly steps: Column;
  readonly at: Column;
  readonly values: Column;
}
