/** A role's own earlier rows among its fresh ones. */
import type { ColumnValue } from '../../kernel/columns.ts';
import { replayColumns } from '../../kernel/replay.ts';
import { appendRows, gatherTable, tableRows, type Table } from '../../kernel/rows.ts';
import { stage } from '../../kernel/stage.ts';
import { systematic } from '../selection/by-return.ts';

/** Rows that a batch can have; a row's slot is its batch × this + its place. */
const SLOTS = 2 ** 20;

type Replayed = (typeof replayColumns)[number];

/**
 * Adds stored rows of the role behind the fresh ones: `share` × as many, at most all that are stored, drawn
 * with probability proportional to priority. They keep their log-probabilities at sampling, their advantage
 * and reward; `row/fresh` is 0, `row/age` the number of batches since they were sampled, and each is a group
 * of its own. From `until` (a share of the run) on, none are added. A stage behind this one may change
 * `row/priority`: the buffer takes it over.
 */
export const withReplay = <const B extends string>({
  from,
  share,
  until = 1,
}: {
  readonly from: B;
  readonly share: number;
  readonly until?: number;
}) =>
  stage({
    id: `withReplay(${from}, ${share}, ${until})`,
    station: 'rows',
    needs: [
      'tokens',
      'mask',
      'weight',
      'groupId',
      'behaviorLogp',
      'advantage',
      'reward/total',
      'row/priority',
      ...replayColumns.map((column) => `buffer/${from}/${column}` as const),
    ],
    adds: ['weight', 'groupId', ...replayColumns, 'row/fresh', 'row/age'],
    run: async (inputs, { draw, progress, random }) => {
      const given = inputs as unknown as { readonly [name: string]: ColumnValue | undefined };
      const columns = Object.fromEntries(replayColumns.map((c) => [c, given[c]] as const)) as Table;
      const fresh = (given.weight as Float64Array).length;
      const ones = new Float64Array(fresh).fill(1);
      const own: Table = {
        ...columns,
        weight: given.weight as Float64Array,
        groupId: given.groupId as Float64Array,
        'row/version': ones.map(() => draw),
        'row/slot': ones.map((_, r) => draw * SLOTS + r),
        'row/fresh': ones,
        'row/age': new Float64Array(fresh),
      };
      const stored = storedIn(given, from);
      const count = Math.min(Math.round(share * fresh), tableRows(stored));
      if (count === 0 || progress >= until) return { columns: own as never };
      const chosen = systematic(stored['row/priority'] as Float64Array, count, random('replay').next());
      const drawn = gatherTable(stored, chosen);
      const replayed = {
        ...drawn,
        weight: new Float64Array(count).fill(1),
        groupId: Float64Array.from({ length: count }, (_, r) => -1 - r),
        'row/fresh': new Float64Array(count),
        'row/age': (drawn['row/version'] as Float64Array).map((version) => draw - version),
      };
      const from_R = Uint32Array.from({ length: fresh + count }, (_, r) => (r < fresh ? r : 0));
      return { columns: appendRows(own, replayed) as never, from_R };
    },
  });

/** The rows of a buffer; a table without columns while it is empty. */
const storedIn = (given: { readonly [name: string]: ColumnValue | undefined }, from: string): Table => {
  const columns = replayColumns.map((c): [Replayed, ColumnValue | undefined] => [
    c,
    given[`buffer/${from}/${c}`],
  ]);
  return columns.some(([, column]) => column === undefined) ? {} : (Object.fromEntries(columns) as Table);
};
