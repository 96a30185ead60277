/** Draws stored steps in place of the batch's own, with weights that the buffer keeps. */
import type { ColumnValue } from '../../kernel/columns.ts';
import { gather, rowCount, type Table } from '../../kernel/rows.ts';
import { stage } from '../../kernel/stage.ts';
import { transitionColumns } from './draw-uniformly.ts';

/**
 * How stored steps are chosen and weighed. `uniform`: alike. `regularized`: drawn alike, and a row's priority
 * is its weight in the loss. `prioritized`: drawn in proportion to priority, and weighed against it.
 */
export const replayRules = ['uniform', 'regularized', 'prioritized'] as const;
export type ReplayRule = (typeof replayRules)[number];

/**
 * Exponent of the weights against prioritised draws: β at the start in Schaul et al., arXiv:1511.05952, §
 * 3.4.
 */
const CORRECTION = 0.4;

/** Stored columns of a step: `transitionColumns`, its priority, and the batch that made it. */
export const weighedColumns = [...transitionColumns, 'row/priority', 'row/version'] as const;

/** Of the made steps; none belongs to the drawn ones. */
const ofEpisodes = ['row/finished', 'row/return', 'row/length'] as const;
const measures = ['row/serial', 'row/fresh', 'row/age', 'row/importance'] as const;

/**
 * New steps have priority 1 (`prioritized`: the greatest that is stored, so that each is soon drawn), and the
 * number of their batch.
 */
export const enterWith = <const B extends string>({
  from,
  by,
}: {
  readonly from: B;
  readonly by: ReplayRule;
}) =>
  stage({
    id: `enterWith(${from}, ${by})`,
    station: 'rows',
    needs: ['weight', `buffer/${from}/row/priority`],
    adds: ['row/priority', 'row/version'],
    run: async (inputs, { draw }) => {
      const { weight, [`buffer/${from}/row/priority`]: priorities } = inputs as Partial<
        Record<string, Float64Array>
      >;
      const first = by === 'prioritized' && priorities ? priorities.reduce((a, b) => Math.max(a, b), 0) : 1;
      const all = (value: number) => new Float64Array(weight?.length ?? 0).fill(value);
      return { columns: { 'row/priority': all(first), 'row/version': all(draw) } };
    },
  });

/**
 * Puts `count` stored rows, drawn with replacement, in place of the batch's own, which join the buffer when
 * the batch is over; none in the first `after` batches. `row/importance` is the weight of a row in the loss,
 * at most 1 where rows are drawn by priority. A stage behind this one may change `row/priority`: the buffer
 * takes it over. A draw by priority costs one pass over the stored rows.
 */
export const drawStored = <const B extends string>({
  from,
  by,
  count,
  after,
}: {
  readonly from: B;
  readonly by: ReplayRule;
  readonly count: number;
  readonly after: number;
}) =>
  stage({
    id: `drawStored(${from}, ${by}, ${count})`,
    station: 'rows',
    replaces: true,
    needs: [
      ...weighedColumns,
      ...ofEpisodes,
      `buffer/${from}/row/serial`,
      ...weighedColumns.map((column) => `buffer/${from}/${column}` as const),
    ],
    adds: [...weighedColumns, ...ofEpisodes, ...measures],
    run: async (inputs, { draw, random: randomOf }) => {
      const given = inputs as unknown as { readonly [name: string]: ColumnValue | undefined };
      const stored = given[`buffer/${from}/row/priority`] as Float64Array | undefined;
      const random = randomOf('replay');
      const drawn = draw < after || !stored ? 0 : count;
      const chosen =
        by === 'prioritized' && stored
          ? proportional(stored, drawn, () => random.next())
          : Uint32Array.from({ length: drawn }, () => random.int(rowCount(stored ?? [])));
      const columns: Table = Object.fromEntries(
        weighedColumns.map((name) => [
          name,
          gather((given[`buffer/${from}/${name}`] ?? given[name]) as never, chosen),
        ]),
      );
      const versions = columns['row/version'] as Float64Array;
      const serials = given[`buffer/${from}/row/serial`] as Float64Array | undefined;
      const none = new Float64Array(chosen.length);
      return {
        // no column of the batch's own rows belongs to the drawn ones
        from_R: new Uint32Array(chosen.length),
        columns: {
          ...columns,
          ...Object.fromEntries(ofEpisodes.map((name) => [name, none])),
          'row/serial': gather(serials ?? new Float64Array(0), chosen),
          'row/fresh': none,
          'row/age': versions.map((version) => draw - version),
          'row/importance': weightsOf(by, columns['row/priority'] as Float64Array),
        } as never,
      };
    },
  });

/** `count` rows drawn with replacement, each with probability in proportion to its priority. */
const proportional = (priorities: Float64Array, count: number, random: () => number): Uint32Array => {
  const below = new Float64Array(priorities.length);
  let sum = 0;
  priorities.forEach((priority, r) => {
    below[r] = sum += priority;
  });
  return Uint32Array.from({ length: count }, () => {
    const at = random() * sum;
    let [low, high] = [0, below.length - 1];
    while (low < high) {
      const middle = (low + high) >>> 1;
      if (below[middle] > at) high = middle;
      else low = middle + 1;
    }
    return low;
  });
};

/** Weights in the loss; those against prioritised draws are (1 ⁄ priority)^β over their maximum. */
const weightsOf = (by: ReplayRule, priorities: Float64Array): Float64Array => {
  if (by === 'uniform') return priorities.map(() => 1);
  if (by === 'regularized') return priorities;
  const least = priorities.reduce((a, b) => Math.min(a, b), Infinity);
  return priorities.map((priority) => (least / priority) ** CORRECTION);
};
