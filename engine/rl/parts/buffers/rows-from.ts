import type { Column } from '../../kernel/columns.ts';
import { stage } from '../../kernel/stage.ts';

/** Stored rows of another role, as training rows. */
export const rowsFrom = <const B extends string, const C extends Column>(buffer: B, columns: readonly C[]) =>
  stage({
    id: `rowsFrom(${buffer})`,
    station: 'rows',
    needs: columns.map((c) => `buffer/${buffer}/${c}` as const),
    adds: columns,
    run: async (inputs) => {
      const stored = inputs as object as { readonly [port: string]: never };
      return {
        columns: Object.fromEntries(columns.map((c) => [c, stored[`buffer/${buffer}/${c}`]])) as never,
      };
    },
  });
