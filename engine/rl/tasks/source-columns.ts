/** Common code of the row sources: drawing a batch, and the columns that most sources fill. */
import { hash32 } from '../../random/random.ts';
import type { Problem } from '../kernel/columns.ts';
import type { RewardStack } from '../kernel/reward-stack.ts';
import type { StageContext } from '../kernel/stage.ts';
import type { EncodingOptions } from './encoding.ts';
import type { IndexedStream, Example } from './task-data.ts';

/** Tokenization options of sources, and the run's reward stack. */
export interface SourceOptions extends EncodingOptions {
  readonly stack: RewardStack<'total'>;
}

/** Draws the items of the next batch. */
export const drawn = <T>(draws: IndexedStream<T>, { draw, batch }: StageContext): T[] =>
  Array.from({ length: batch }, (_, i) => draws.at(draw * batch + i));
/** Hashes prompt ids to a numeric column. */
export const ids = (items: readonly { readonly promptId: string }[]): Float64Array =>
  Float64Array.from(items, ({ promptId }) => hash32(promptId));
/** A column of `n` ones. */
export const ones = (n: number): Float64Array => new Float64Array(n).fill(1);

/** An example's problem, without the answer. */
export const problemOf = ({ promptId, prompt, reference = null, level }: Example): Problem => ({
  promptId,
  prompt,
  reference,
  ...(level !== undefined && { level }),
});
