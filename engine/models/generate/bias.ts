/** The sum of everything that hooks and a second model add to the scaled logits. */
import type { PartialAnswer, GenerateOptions } from './rows.ts';

/**
 * Logits to add, [rows, V]. `theirs`: a second model's logits for the same rows, already read; `sharpness`:
 * 1 ⁄ temperature of each row's next token.
 */
export const biasOf = (
  { hooks = [], guidance, model }: Pick<GenerateOptions, 'hooks' | 'guidance' | 'model'>,
  rows: readonly (PartialAnswer | undefined)[],
  sharpness: (row: PartialAnswer) => number,
  theirs?: Float32Array,
): Float32Array => {
  const V = model.config.vocabulary;
  const bias = new Float32Array(rows.length * V);
  rows.forEach((row, slot) => {
    if (!row) return;
    const own = bias.subarray(slot * V, (slot + 1) * V);
    if (guidance && theirs) {
      const factor = guidance.theirs * sharpness(row);
      for (let v = 0; v < V; v++) own[v] = factor * theirs[slot * V + v];
    }
    for (const hook of hooks) hook.add(row, own);
  });
  return bias;
};
