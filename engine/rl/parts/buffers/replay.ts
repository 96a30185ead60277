/** A role's own earlier rows among its fresh ones. */
import type { ColumnValue, Columns } from '../../kernel/columns.ts';
import { replayColumns } from '../../kernel/replay.ts';
import {
  appendRows,
  gatherTable,
  maskedCounts,
  maskedSums,
  tableRows,
  type Table,
} from '../../kernel/rows.ts';
import { stage } from '../../kernel/stage.ts';
import { systematic } from '../selection/by-return.ts';

/** Rows that a batch can have; a row's slot is its batch × this + its place. */
const SLOTS = 2 ** 20;

/**
 * First priority of a fresh row: 1; or 1 if it is better than its group's mean and 0 (not kept) otherwise;
 * or the size of its advantage.
 */
export type FirstPriority = 'even' | 'better' | 'advantage';

/** Gives fresh rows the priority with which they enter a replay buffer. */
export const firstPriority = ({ by }: { readonly by: FirstPriority }) =>
  stage({
    id: `firstPriority(${by})`,
    station: 'selection',
    needs: ['mask', 'advantage'],
    adds: ['row/priority'],
    run: async ({ mask, advantage }) => {
      const counts_R = maskedCounts(mask);
      const mean_R = maskedSums(advantage, mask).map((sum, r) => sum / Math.max(counts_R[r], 1));
      const priorities: { readonly [F in FirstPriority]: (a: number) => number } = {
        even: () => 1,
        better: (a) => Number(a > 0),
        advantage: Math.abs,
      };
      return { columns: { 'row/priority': mean_R.map(priorities[by]) } };
    },
  });

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

/**
 * Weighs replayed rows by the importance of the whole answer, min(π ⁄ μ, cap), for objectives without a
 * ratio (Ionides 2008, "Truncated Importance Sampling"). π is the policy before this batch's updates.
 */
export const truncatedImportance = ({ cap }: { readonly cap: number }) =>
  stage({
    id: `truncatedImportance(${cap})`,
    station: 'selection',
    needs: ['tokens', 'mask', 'weight', 'behaviorLogp', 'row/fresh', 'model/policy'],
    adds: ['weight', 'row/importance'],
    run: async ({ tokens, mask, weight, behaviorLogp, 'row/fresh': fresh, 'model/policy': policy }) => {
      const [now_R, then_R] = [
        maskedSums(await policy.logp(tokens, mask), mask),
        maskedSums(behaviorLogp, mask),
      ];
      const importance = fresh.map((f, r) => (f ? 1 : Math.min(Math.exp(now_R[r] - then_R[r]), cap)));
      return { columns: { weight: weight.map((w, r) => w * importance[r]), 'row/importance': importance } };
    },
  });

/** Multiplies the weight of replayed rows by `weight`, which rises from 0 over the first `warmup` of the run. */
export const weighReplayed = ({
  weight: most,
  warmup,
}: {
  readonly weight: number;
  readonly warmup: number;
}) =>
  stage({
    id: `weighReplayed(${most}, ${warmup})`,
    station: 'selection',
    needs: ['weight', 'row/fresh'],
    adds: ['weight'],
    run: async ({ weight, 'row/fresh': fresh }, { progress }) => {
      const factor = most * (warmup === 0 ? 1 : Math.min(1, progress / warmup));
      return { columns: { weight: weight.map((w, r) => (fresh[r] ? w : w * factor)) } };
    },
  });

type Credited = Pick<Columns, 'mask' | 'advantage'>;

/** A row's advantage on each of its tokens, or its own where `value` gives none. */
const withAdvantage = ({ mask, advantage }: Credited, value: (r: number) => number | undefined) => {
  const values = advantage.values.slice();
  for (let r = 0; r < mask.offsets.length - 1; r++) {
    const own = value(r);
    if (own === undefined) continue;
    for (let at = mask.offsets[r]; at < mask.offsets[r + 1]; at++) values[at] = mask.values[at] ? own : 0;
  }
  return { ...advantage, values };
};

/**
 * Judges replayed answers by today's standard (arXiv:2509.22601): their advantage becomes (reward − median
 * of the fresh rewards) ÷ (their deviation + 1e-6). Those that are no better than that have advantage 0,
 * and leave the buffer.
 */
export const rebaselined = stage({
  id: 'rebaselined',
  station: 'credit',
  needs: ['mask', 'advantage', 'reward/total', 'row/fresh', 'row/priority'],
  adds: ['advantage', 'row/priority'],
  run: async ({ mask, advantage, 'reward/total': reward, 'row/fresh': fresh, 'row/priority': priority }) => {
    const recent = reward.filter((_, r) => fresh[r] === 1).sort();
    const n = recent.length;
    const median = n === 0 ? 0 : (recent[(n - 1) >> 1] + recent[n >> 1]) / 2;
    const mean = recent.reduce((a, b) => a + b, 0) / Math.max(n, 1);
    const sd = Math.sqrt(recent.reduce((sum, r) => sum + (r - mean) ** 2, 0) / Math.max(n, 1)) + 1e-6;
    const better = (r: number) => Math.max(0, (reward[r] - median) / sd);
    return {
      columns: {
        advantage: withAdvantage({ mask, advantage }, (r) => (fresh[r] ? undefined : better(r))),
        'row/priority': priority.map((p, r) => (fresh[r] || better(r) > 0 ? p : 0)),
      },
    };
  },
});
