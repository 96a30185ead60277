import type { Column } from '../../kernel/columns.ts';
import { stage } from '../../kernel/stage.ts';

const written = ['tokens', 'mask', 'behaviorLogp', 'completion', 'ended'] as const;

/**
 * The replies in a buffer, as rows of the role that wrote them: their tokens in place of those that they
 * reply to, and these other columns as stored.
 */
export const repliesFrom = <const B extends string, const C extends Column>(
  buffer: B,
  columns: readonly C[],
) =>
  stage({
    id: `repliesFrom(${buffer})`,
    station: 'rows',
    needs: [
      ...written.map((column) => `buffer/${buffer}/reply/${column}` as const),
      ...columns.map((column) => `buffer/${buffer}/${column}` as const),
    ],
    adds: [...written, ...columns],
    run: async (inputs) => {
      const stored = inputs as object as { readonly [port: string]: never };
      return {
        columns: Object.fromEntries([
          ...written.map((column) => [column, stored[`buffer/${buffer}/reply/${column}`]] as const),
          ...columns.map((column) => [column, stored[`buffer/${buffer}/${column}`]] as const),
        ]) as never,
      };
    },
  });
