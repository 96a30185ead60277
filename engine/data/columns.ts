import type { Fields, RecordOf } from './shapes/index.ts';

/**
 * What became of one column: in how many records it was used, was kept beside the row, or held nothing and
 * was left out.
 */
export interface Column {
  readonly name: string;
  /** What it was used as; null where no record's was. */
  readonly as: string | null;
  readonly used: number;
  readonly kept: number;
  readonly empty: number;
}

/**
 * Names that are told one by one; a file that makes a name of every record's id has as many as it has
 * records.
 */
const NAMED = 400;

type Counts = { as: string | null; used: number; kept: number; empty: number };

/** Counts, record by record, what became of each column. */
export class ColumnReport {
  readonly #columns = new Map<string, Counts>();
  readonly #further: Counts = { as: null, used: 0, kept: 0, empty: 0 };

  add(fields: Fields, kept: RecordOf): void {
    for (const name of new Set([...Object.keys(fields.record), ...Object.keys(kept)])) {
      const counts = this.#countsOf(name);
      const as = fields.uses.get(name);
      counts.as ??= as ?? null;
      counts[as !== undefined ? 'used' : Object.hasOwn(kept, name) ? 'kept' : 'empty']++;
    }
  }

  /** Used ones first, then those kept beside the row, then those left out. */
  get columns(): Column[] {
    const all = [...this.#columns].map(([name, counts]) => ({ name, ...counts }));
    const { used, kept, empty } = this.#further;
    if (used + kept + empty > 0) all.push({ name: `(columns after the first ${NAMED})`, ...this.#further });
    const order = (column: Column): number => (column.used > 0 ? 0 : column.kept > 0 ? 1 : 2);
    return all.sort((a, b) => order(a) - order(b));
  }

  #countsOf(name: string): Counts {
    const known = this.#columns.get(name);
    if (known) return known;
    if (this.#columns.size >= NAMED) return this.#further;
    const counts: Counts = { as: null, used: 0, kept: 0, empty: 0 };
    this.#columns.set(name, counts);
    return counts;
  }
}
