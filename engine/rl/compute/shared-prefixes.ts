/** Finds shared prompt prefixes: tokens before the trained ones that rows of a group have in common. */
import type { SharedPrefixes } from './packing.ts';
import type { PerToken } from '../kernel/columns.ts';
import { rowCount, rowOf } from '../kernel/rows.ts';

/** The shared prefixes of rows, up to the first token in `mask`. */
export const sharedPrefixes = (
  tokens_RT: PerToken<Int32Array>,
  mask_RT: PerToken<Uint8Array>,
): SharedPrefixes => {
  const rows = rowCount(tokens_RT);
  const prefixLength_R = new Uint32Array(rows);
  const prefixId_R = new Uint32Array(rows);
  const known = new Map<string, number>();
  for (let r = 0; r < rows; r++) {
    const tokens = rowOf(tokens_RT, r);
    const first = rowOf(mask_RT, r).indexOf(1);
    prefixLength_R[r] = first < 0 ? Math.max(0, tokens.length - 1) : first;
    const text = tokens.subarray(0, prefixLength_R[r]).join();
    prefixId_R[r] = known.get(text) ?? known.size;
    known.set(text, prefixId_R[r]);
  }
  return { prefixLength_R, prefixId_R };
};
