/** Parameters compared at most: of a larger model, every n-th. */
const MOST = 2 ** 22;

/** A float32 rounded to bfloat16, nearest even, as the upper half of its bits. */
const bf16 = (bits: number): number => (bits + 0x7fff + ((bits >>> 16) & 1)) >>> 16;

/** Update sparsity: shares of the parameters that training left as they were. */
export interface Unchanged {
  /** Equal in float32, and equal after rounding to bfloat16. */
  readonly float32: number;
  readonly bfloat16: number;
}

/**
 * Share of parameters that are equal before and after training ("Reinforcement Learning Finetunes Small
 * Subnetworks", arXiv:2505.11711, measures it in bfloat16). Of more than four million, an even sample.
 * Undefined if the arrays differ in length, are the same array, or are empty.
 */
export const unchangedShare = (before: Float32Array, after: Float32Array): Unchanged | undefined => {
  if (before.length !== after.length || before === after || before.length === 0) return undefined;
  const stride = Math.ceil(before.length / MOST);
  const [a, b] = [before, after].map((x) => new Uint32Array(x.buffer, x.byteOffset, x.length));
  let [same, rounded, count] = [0, 0, 0];
  for (let at = 0; at < before.length; at += stride) {
    // 0 and −0 are equal
    if (before[at] === after[at]) same++;
    if (before[at] === after[at] || bf16(a[at]) === bf16(b[at])) rounded++;
    count++;
  }
  return { float32: same / count, bfloat16: rounded / count };
};
