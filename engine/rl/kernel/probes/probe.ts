import type { Column, Columns } from '../columns.ts';
import { tableRows, type Table } from '../rows.ts';

/** Measured numbers by metric. */
export interface Measured {
  readonly [metric: string]: number;
}

/** A number about a batch that every run with these columns records. Reads columns; changes nothing. */
export interface Probe {
  readonly id: string;
  readonly needs: readonly Column[];
  readonly measure: (table: Table) => Measured;
}

/**
 * Defines a probe. `measure` gets a batch with at least one row; it leaves out a metric that has no value
 * there.
 */
export const defineProbe = <const N extends Column>(probe: {
  readonly id: string;
  readonly needs: readonly N[];
  readonly measure: (columns: { readonly [K in N]: Columns[K] }) => Measured;
}): Probe => ({
  id: probe.id,
  needs: probe.needs,
  measure: (table) => probe.measure(table as unknown as { readonly [K in N]: Columns[K] }),
});

/**
 * What these probes measure; each one on the first of the tables that has its columns and rows. A table of
 * all sampled rows lacks the columns that are added after a filter.
 */
export const probed = (probes: readonly Probe[], tables: readonly Table[]): { [metric: string]: number } =>
  Object.assign(
    {},
    ...probes.map((probe) => {
      const table = tables.find((each) => tableRows(each) > 0 && probe.needs.every((name) => name in each));
      return table ? probe.measure(table) : {};
    }),
  ) as { [metric: string]: number };
