import { hashFraction } from './hash.ts';

/**
 * Which split a prompt belongs to, by its id alone: all answers to a prompt stay together, and adding or reordering rows moves no prompt.
 * A larger held-out share keeps every prompt that a smaller one held out. `salt` (a dataset's id) makes splits of different data independent.
 */
export const splitOf = (promptId: string, heldout: number, salt = ''): 'train' | 'heldout' => (hashFraction('split', salt, promptId) < heldout ? 'heldout' : 'train');

/** Rows by split, in their order. */
export const splitRows = <R extends { readonly promptId: string }>(rows: Iterable<R>, heldout: number, salt = ''): { train: R[]; heldout: R[] } => {
  const split = { train: [] as R[], heldout: [] as R[] };
  for (const row of rows) split[splitOf(row.promptId, heldout, salt)].push(row);
  return split;
};
