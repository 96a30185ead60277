/** Graph feeds of a micro-batch, and the graph inputs of an objective's term. */
import { input, type Expr, type TensorType } from '../../tensor/index.ts';
import type { Feeds, Values } from '../../runtime/index.ts';
import type { ColumnValue, Columns } from '../kernel/columns.ts';
import { isPerToken } from '../kernel/rows.ts';
import { eachRow, padded, paddedObserved, paddedPerRow, type MicroBatch } from './packing.ts';

/** The graph input of what is observed after the tokens of another input. */
export const observedInput = (tokens: string): string => `${tokens}${OBSERVED}`;
const OBSERVED = '/observed';

/** A column or prepared array by the name of its graph input. */
export type Arrays = { readonly [inputName: string]: ColumnValue };

/**
 * Inputs for a term's `build` by name: its own prepared arrays first, then columns. Only those it reads
 * become inputs of the graph.
 */
export const termInputs = (
  arrays: Arrays,
  term: number,
  { R, T, tokens }: { R: number; T: number; tokens: Expr },
): { readonly [name: string]: Expr } =>
  new Proxy<{ [name: string]: Expr }>(
    {},
    {
      get: (_, name) => {
        if (name === 'tokens') return tokens;
        const found = [`${term}/${String(name)}`, `column/${String(name)}`].find((key) => key in arrays);
        if (found === undefined) return undefined;
        return input(found, { dtype: 'float32', shape: isPerToken(arrays[found]) ? [R, T] : [R] });
      },
    },
  );

/** The values of a column or prepared array, or of `last`, for a micro-batch. */
export const feedOf = (
  name: string,
  { dtype, shape }: TensorType,
  arrays: Arrays,
  rect: MicroBatch,
  pad: number | null,
): Values => {
  if (name === 'last') return lastTokens(arrays['column/tokens'] as Columns['tokens'], rect, pad);
  if (name.endsWith(OBSERVED))
    return paddedObserved(arrays[name.slice(0, -OBSERVED.length)] as Columns['tokens'], rect, shape[2]);
  const column = arrays[name];
  if (!isPerToken(column)) return paddedPerRow(column as Float64Array, rect);
  return dtype === 'int32' ? padded(column, rect, Int32Array) : padded(column, rect, Float32Array);
};

/** The feed of the observations after tokens, if the program has this input. */
export const observedFeed = (
  tokens_RT: Columns['tokens'],
  rect: MicroBatch,
  inputs: Readonly<Record<string, TensorType>>,
): Feeds => {
  const name = observedInput('tokens');
  return name in inputs ? { [name]: paddedObserved(tokens_RT, rect, inputs[name].shape[2]) } : {};
};

/** Position of each row's last token that is not `pad`; 0 for padding rows. */
export const lastTokens = (
  { values, offsets }: Columns['tokens'],
  rect: MicroBatch,
  pad: number | null,
): Int32Array => {
  const last = new Int32Array(rect.R);
  eachRow(rect, (row, r) => {
    let at = offsets[row + 1] - 1;
    while (at > offsets[row] && values[at] === pad) at--;
    last[r] = at - offsets[row];
  });
  return last;
};
