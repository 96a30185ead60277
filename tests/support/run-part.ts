import type { ColumnValue } from '../../engine/rl/kernel/columns.ts';
import { applyChange, ragged, type Table } from '../../engine/rl/kernel/rows.ts';
import type { Stage, StageContext } from '../../engine/rl/kernel/stage.ts';
import { stream } from '../../engine/random/random.ts';

/** Runs one part on a table; `ports` gives models and buffers by name. */
export const runPart = async (
  part: Stage,
  table: Table,
  {
    ports = {},
    ...context
  }: { readonly ports?: { readonly [name: string]: unknown } } & Partial<StageContext> = {},
): Promise<Table> => {
  const inputs = Object.fromEntries(part.needs.map((need) => [need, table[need] ?? ports[need]]));
  const change = await part.run(
    inputs as never,
    {
      draw: 0,
      batch: 1,
      progress: 0,
      random: (purpose: string) => stream(1, purpose),
      ...context,
    } as StageContext,
  );
  return applyChange(table, part.id, change);
};

/** Rows of `length` answer tokens each, with one number per row on every token. */
export const perToken = (values_R: readonly number[], length = 2) =>
  ragged(
    values_R.map((value) => new Array<number>(length).fill(value)),
    Float64Array,
  );
export const answersOf = (rows: number, length = 2): Record<'tokens' | 'mask', ColumnValue> => ({
  tokens: ragged(
    Array.from({ length: rows }, (_, r) => Array.from({ length }, (_x, t) => r + t)),
    Int32Array,
  ),
  mask: ragged(
    Array.from({ length: rows }, () => new Array<number>(length).fill(1)),
    Uint8Array,
  ),
});
