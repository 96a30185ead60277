import type { Column, Columns, ModelPort } from '../kernel/columns.ts';
import { stage } from '../kernel/stage.ts';

/** Log-probability of the rows' tokens under another model: a snapshot of this role, or another role. */
export const logpUnder = <const M extends string>(model: M) =>
  stage({
    id: `logpUnder(${model})`,
    needs: ['tokens', 'mask', `model/${model}`],
    adds: [`logp/${model}`],
    run: async (inputs) => {
      const { tokens, mask, ...models } = inputs as Pick<Columns, 'tokens' | 'mask'> &
        Record<string, ModelPort>;
      return { columns: { [`logp/${model}`]: await models[`model/${model}`].logp(tokens, mask) } as never };
    },
  });

/** Stored rows of another role, as the rows to learn from. */
export const rowsFrom = <const B extends string, const C extends Column>(buffer: B, columns: readonly C[]) =>
  stage({
    id: `rowsFrom(${buffer})`,
    needs: columns.map((c) => `buffer/${buffer}/${c}` as const),
    adds: columns,
    run: async (inputs) => {
      const stored = inputs as object as { readonly [port: string]: never };
      return {
        columns: Object.fromEntries(columns.map((c) => [c, stored[`buffer/${buffer}/${c}`]])) as never,
      };
    },
  });
