import { hashFraction } from '../random/hash.ts';

/**
 * The split of a prompt, decided by its id alone: all answers to a prompt stay together, and adding or
 * reordering rows moves no prompt. A larger held-out share keeps every prompt that a smaller one held out,
 * and a prompt is held out in every dataset that has it.
 */
export const splitOf = (promptId: string, heldout: number): 'train' | 'heldout' =>
  hashFraction('split', promptId) < heldout ? 'heldout' : 'train';
