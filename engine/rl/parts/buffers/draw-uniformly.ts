/** Stored steps in place of the ones that a batch has made. */
import type { ColumnValue } from '../../kernel/columns.ts';
import { gather, rowCount } from '../../kernel/rows.ts';
import { stage } from '../../kernel/stage.ts';

/** Columns that are stored for a step: all that learning needs, and the action's log-probability. */
export const transitionColumns = [
  'tokens',
  'mask',
  'weight',
  'behaviorLogp',
  'credit/earned',
  'row/terminal',
] as const;

/**
 * Puts `count` stored rows, drawn alike and with replacement, in place of the batch's own, which join the
 * buffer when the batch is over. None while fewer than `atLeast` rows are stored.
 */
export const drawUniformly = <const B extends string>({
  from,
  count,
  atLeast = 1,
}: {
  readonly from: B;
  readonly count: number;
  readonly atLeast?: number;
}) =>
  stage({
    id: `drawUniformly(${from}, ${count}, ${atLeast})`,
    station: 'rows',
    replaces: true,
    needs: [...transitionColumns, ...transitionColumns.map((column) => `buffer/${from}/${column}` as const)],
    adds: transitionColumns,
    run: async (inputs, { random }) => {
      const given = inputs as unknown as { readonly [name: string]: ColumnValue | undefined };
      const stored = transitionColumns.map((column) => [column, given[`buffer/${from}/${column}`]] as const);
      const rows = stored[0][1] ? rowCount(stored[0][1]) : 0;
      const draw = random('replay');
      const chosen = Uint32Array.from({ length: rows < Math.max(1, atLeast) ? 0 : count }, () =>
        draw.int(rows),
      );
      const columns = stored.map(([name, column]) => [
        name,
        gather((column ?? given[name]) as never, chosen),
      ]);
      return {
        // no column of the batch's own rows belongs to the drawn ones
        from_R: new Uint32Array(chosen.length),
        columns: Object.fromEntries(columns) as never,
      };
    },
  });
