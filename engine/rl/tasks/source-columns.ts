/** What sources have in common: the rows that a loop draws, and the columns that most of them fill. */
import { hash32 } from '../../random/random.ts';
import type { Problem } from '../kernel/columns.ts';
import type { RewardStack } from '../kernel/method.ts';
import type { StageContext } from '../kernel/stage.ts';
import type { EncodingOptions } from './encoding.ts';
import type { IndexedStream, Example } from './task-data.ts';

/** How sources tokenize, and the run's rewards, which recipes score answers with. */
export interface SourceOptions extends EncodingOptions {
  readonly stack: RewardStack<'total'>;
}

/** The rows of the loop's next batch. */
export const drawn = <T>(draws: IndexedStream<T>, { draw, batch }: StageContext): T[] =>
  Array.from({ length: batch }, (_, i) => draws.at(draw * batch + i));
/** Prompts' ids as a column of numbers. */
export const ids = (items: readonly { readonly promptId: string }[]): Float64Array =>
  Float64Array.from(items, ({ promptId }) => hash32(promptId));
/** A column of `n` ones. */
export const ones = (n: number): Float64Array => new Float64Array(n).fill(1);

/** The problem that an example answers. */
export const problemOf = ({ promptId, prompt, reference = null, level }: Example): Problem => ({
  promptId,
  prompt,
  reference,
  ...(level !== undefined && { level }),
});
