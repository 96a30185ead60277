/** A role's own earlier rows, to learn from again: what is kept, by which priority, and for how long. */
import type { ColumnValue } from './columns.ts';
import { appendRows, gatherTable, tableRows, type Table } from './rows.ts';

/** Limits of a replay buffer. */
export interface ReplayPlan {
  /** Most rows that are kept: the newest. */
  readonly capacity: number;
  /** Batches after which a row is forgotten. */
  readonly maxAge: number;
}

/**
 * Columns of a stored row. `row/slot` names it, `row/version` is the batch that sampled it, `row/priority`
 * the weight by which it is drawn; 0 is never drawn, nor kept.
 */
export const replayColumns = [
  'tokens',
  'mask',
  'behaviorLogp',
  'advantage',
  'reward/total',
  'row/version',
  'row/slot',
  'row/priority',
] as const;

const numbers = (table: Table, name: string): Float64Array => table[name] as Float64Array;

/** The stored rows with the priorities that the batch gave to those it replayed (`row/fresh` is 0). */
const written = (stored: Table, batch: Table): Table => {
  const [fresh, slot, priority] = ['row/fresh', 'row/slot', 'row/priority'].map((c) => numbers(batch, c));
  const news = new Map([...slot.keys()].filter((r) => !fresh[r]).map((r) => [slot[r], priority[r]]));
  if (news.size === 0) return stored;
  const slots = numbers(stored, 'row/slot');
  return {
    ...stored,
    'row/priority': numbers(stored, 'row/priority').map((old, r) => news.get(slots[r]) ?? old),
  };
};

/**
 * The buffer after a batch: priorities of replayed rows are written back, fresh rows with a priority join,
 * and rows that are too old, have priority 0, or exceed the capacity leave, the oldest first.
 */
export const remembered = (stored: Table, batch: Table, { capacity, maxAge }: ReplayPlan): Table => {
  const fresh = numbers(batch, 'row/fresh');
  const own = Object.fromEntries(replayColumns.map((name): [string, ColumnValue] => [name, batch[name]]));
  const joining = gatherTable(own, Uint32Array.from([...fresh.keys()].filter((r) => fresh[r] === 1)));
  const kept = tableRows(stored) === 0 ? stored : written(stored, batch);
  const all = tableRows(joining) === 0 ? kept : appendRows(kept, joining);
  if (tableRows(all) === 0) return {};
  const [version, priority] = ['row/version', 'row/priority'].map((name) => numbers(all, name));
  const now = numbers(batch, 'row/version').reduce((a, b) => Math.max(a, b), -Infinity);
  const living = [...version.keys()].filter((r) => priority[r] > 0 && now - version[r] < maxAge);
  return living.length === 0 ? {} : gatherTable(all, Uint32Array.from(living.slice(-capacity)));
};
