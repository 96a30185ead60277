import { hashFraction } from './hash.ts';

/**
 * Which split a prompt belongs to, by its id alone: all answers to a prompt stay together, and adding or reordering rows moves no prompt.
 * A larger held-out share keeps every prompt that a smaller one held out, and a prompt is held out in every dataset that has it.
 */
export const splitOf = (promptId: string, heldout: number): 'train' | 'heldout' => (hashFraction('split', promptId) < heldout ? 'heldout' : 'train');

/** Rows by split, in their order. */
export const splitRows = <R extends { readonly promptId: string }>(rows: Iterable<R>, heldout: number): { train: R[]; heldout: R[] } => {
  const split = { train: [] as R[], heldout: [] as R[] };
  for (const row of rows) split[splitOf(row.promptId, heldout)].push(row);
  return split;
};
