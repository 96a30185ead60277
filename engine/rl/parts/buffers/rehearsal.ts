import type { ColumnValue, Columns } from '../../kernel/columns.ts';
import { appendRows, gatherTable, tableRows, type Table } from '../../kernel/rows.ts';
import { stage } from '../../kernel/stage.ts';

const rehearsed = ['tokens', 'mask', 'behaviorLogp'] as const;

/**
 * Adds stored rows behind the fresh ones: `share` × as many, drawn at random with replacement. Their weight is
 * 0, so that only terms that ask for them (`row/fresh` 0) count them.
 */
export const withRehearsal = <const B extends string>({
  from,
  share,
}: {
  readonly from: B;
  readonly share: number;
}) =>
  stage({
    id: `withRehearsal(${from}, ${share})`,
    station: 'rows',
    needs: [
      ...rehearsed,
      'weight',
      'advantage',
      ...rehearsed.map((column) => `buffer/${from}/${column}` as const),
    ],
    adds: [...rehearsed, 'weight', 'advantage', 'row/fresh'],
    run: async (inputs, { random }) => {
      const given = inputs as unknown as Pick<
        Columns,
        (typeof rehearsed)[number] | 'weight' | 'advantage'
      > & {
        readonly [port: string]: ColumnValue | undefined;
      };
      const { tokens, mask, behaviorLogp, weight, advantage } = given;
      const fresh = weight.length;
      const ones = new Float64Array(fresh).fill(1);
      const own: Table = { tokens, mask, behaviorLogp, weight, advantage, 'row/fresh': ones };
      const stored = Object.fromEntries(
        rehearsed.flatMap((c) => {
          const column = given[`buffer/${from}/${c}`];
          return column ? [[c, column] as const] : [];
        }),
      );
      const [size, count] = [tableRows(stored), Math.round(share * fresh)];
      if (size === 0 || count === 0) return { columns: own as never };
      const draw = random('rehearsal');
      const rows = gatherTable(
        stored,
        Uint32Array.from({ length: count }, () => draw.int(size)),
      );
      const { values, ...places } = rows.mask as Columns['mask'];
      const none: Table = {
        weight: new Float64Array(count),
        advantage: { ...places, values: new Float64Array(values.length) },
        'row/fresh': new Float64Array(count),
      };
      const from_R = Uint32Array.from({ length: fresh + count }, (_, r) => (r < fresh ? r : 0));
      return { columns: appendRows(own, { ...rows, ...none }) as never, from_R };
    },
  });
