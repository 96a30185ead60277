/** Buffers of rows that roles write and other roles read. A reader sees the rows of finished turns only. */
import type { ColumnValue } from '../kernel/columns.ts';
import type { Buffer } from '../kernel/recipe.ts';
import { remembered } from '../kernel/replay.ts';
import { Ring, SERIAL } from '../kernel/ring.ts';
import { appendRows, type Table } from '../kernel/rows.ts';
import type { Unit } from '../kernel/schedule.ts';

/** State of the buffers in a checkpoint. */
export interface BufferedRows {
  /** Rows by buffer name. */
  readonly buffers: ReadonlyMap<string, Table>;
  /** Rows of unfinished turns, by role. */
  readonly turnRows: ReadonlyMap<string, Table>;
}

export class Buffers {
  readonly #plan: readonly (readonly [name: string, plan: Buffer])[];
  readonly #buffers: Map<string, Table>;
  readonly #rings: ReadonlyMap<string, Ring>;
  readonly #turnRows: Map<string, Table>;

  constructor(plan: { readonly [name: string]: Buffer }, saved?: BufferedRows) {
    this.#plan = Object.entries(plan);
    this.#buffers = new Map(saved?.buffers);
    this.#rings = new Map(
      this.#plan.flatMap(([name, { ring, last }]) =>
        ring ? [[name, new Ring(last, saved?.buffers.get(name))]] : [],
      ),
    );
    this.#turnRows = new Map(saved?.turnRows);
  }

  /** All rows of a buffer; an empty table while it has none. */
  table(buffer: string): Table {
    return this.#rings.get(buffer)?.table() ?? this.#buffers.get(buffer) ?? {};
  }

  /** A column of a buffer; undefined while it has no rows. */
  column(buffer: string, column: string): ColumnValue | undefined {
    const ring = this.#rings.get(buffer);
    return ring ? ring.column(column) : this.#buffers.get(buffer)?.[column];
  }

  /**
   * Adds a role's rows, or all that it `made` before its selection. The end of its turn moves them to the
   * buffers that include the role.
   */
  add({ role, endsTurn }: Pick<Unit, 'role' | 'endsTurn'>, table: Table, made = table): void {
    const fed = this.#plan.filter(([, { of }]) => of === role);
    if (fed.length === 0) return;
    for (const [name] of fed) rewritten(this.#rings.get(name), table);
    const rows = appendRows(this.#turnRows.get(role) ?? {}, fed[0][1].unselected ? made : table);
    this.#turnRows.set(role, rows);
    if (!endsTurn) return;
    for (const [name, { last, fresh, keeps, replay }] of fed) {
      const kept = keeps ? keptColumns(rows, keeps) : rows;
      const ring = this.#rings.get(name);
      if (ring) {
        ring.push(kept);
        continue;
      }
      const stored = (fresh ? undefined : this.#buffers.get(name)) ?? {};
      this.#buffers.set(name, replay ? remembered(stored, kept, replay) : appendRows(stored, kept, last));
    }
    this.#turnRows.delete(role);
  }

  state(): BufferedRows {
    const rings = [...this.#rings].filter(([, { rows }]) => rows > 0);
    return {
      buffers: new Map([...this.#buffers, ...rings.map(([name, ring]) => [name, ring.table()] as const)]),
      turnRows: this.#turnRows,
    };
  }
}

/** Priorities that a batch gave to rows of a ring (`row/serial`) go back to them. */
const rewritten = (ring: Ring | undefined, table: Table): void => {
  const { [SERIAL]: serials, 'row/priority': priorities } = table;
  if (ring && serials && priorities)
    ring.rewrite('row/priority', serials as Float64Array, priorities as Float64Array);
};

/** The named columns, and the scores. */
const keptColumns = (rows: Table, names: readonly string[]): Table =>
  Object.fromEntries(
    Object.entries(rows).filter(([name]) => names.includes(name) || name.startsWith('reward/')),
  );
