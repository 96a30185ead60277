import type * as z from 'zod';
import type { SetOptions } from './options.ts';

/** A preference between two texts that a decision implies. */
export interface ImpliedPair {
  readonly chosen: string;
  readonly rejected: string;
}

/**
 * A way to label: which items it shows, and the JSON value of a decision. A mode is one file and one line in
 * index.ts.
 */
export interface LabelMode {
  readonly id: string;
  readonly title: string;
  readonly summary: string;
  /** Least and most number of answers of an item. */
  readonly answers: { readonly least: number; readonly most: number };
  /** Schema of the value of a decision about an item with that many answers; null: the verdict says all. */
  readonly value: ((count: number, options: SetOptions, answers: readonly string[]) => z.ZodType) | null;
  /** Pairs of the same prompt that a valid value implies, for training. */
  readonly pairs: (answers: readonly string[], value: unknown) => ImpliedPair[];
  /** In modes that judge single answers: of two answers to one prompt, the higher score is preferred. */
  readonly score?: (value: unknown) => number;
}
