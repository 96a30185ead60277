/** The rows of one update, where a role takes several on parts of a batch. */
import { permutation } from '../../random/random.ts';
import { gatherTable, tableRows, type Table } from '../kernel/rows.ts';
import type { LiveRole } from './live-role.ts';

/**
 * The part of a batch that update `pass` learns from: each epoch puts the rows in another random order, a function
 * of the seed, the role's batch and the epoch, and cuts them into parts whose sizes differ by one row at most.
 */
export const minibatchOf = (
  { role: { minibatches = 1 }, name, draws }: Pick<LiveRole, 'role' | 'name' | 'draws'>,
  table: Table,
  pass: number,
  seed: number,
): Table => {
  if (minibatches === 1) return table;
  const rows = tableRows(table);
  const order = permutation(rows, seed, `minibatches of ${name}`, draws, Math.floor(pass / minibatches));
  const [from, to] = [0, 1].map((next) => Math.round((((pass % minibatches) + next) * rows) / minibatches));
  return gatherTable(table, Uint32Array.from(order.slice(from, to)));
};
