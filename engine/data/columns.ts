import type { Fields, RecordOf } from './shapes/index.ts';

/** Usage of one column: the number of records in which it was used, kept as extra, or empty. */
export interface Column {
  readonly name: string;
  /** Its use; null if no record used it. */
  readonly as: string | null;
  readonly used: number;
  readonly kept: number;
  readonly empty: number;
}

/** Maximum number of columns listed; a file that makes a name of every record's id has as many as records. */
const NAMED = 400;

type Counts = { as: string | null; used: number; kept: number; empty: number };

/** Counts the usage of each column, record by record. */
export class ColumnReport {
  readonly #columns = new Map<string, Counts>();
  readonly #further: Counts = { as: null, used: 0, kept: 0, empty: 0 };

  add(fields: Fields, kept: RecordOf): void {
    for (const name in fields.record) this.#count(name, fields, kept);
    for (const name in kept) if (!Object.hasOwn(fields.record, name)) this.#count(name, fields, kept);
  }

  #count(name: string, fields: Fields, kept: RecordOf): void {
    const counts = this.#countsOf(name);
    const as = fields.uses.get(name);
    counts.as ??= as ?? null;
    counts[as !== undefined ? 'used' : Object.hasOwn(kept, name) ? 'kept' : 'empty']++;
  }

  /** Used columns first, then those kept as extra, then empty ones. */
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
