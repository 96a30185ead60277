/** Earlier answers to a problem, and prompts that show them. */
import type { ShownAnswer, Template } from '../../../common/shown-answers.ts';
import type { RandomStream } from '../../../random/random.ts';
import type { Columns, PerToken, Problem } from '../../kernel/columns.ts';
import { ragged, rowOf } from '../../kernel/rows.ts';

/** An earlier answer to a problem; `round` 0 answered the plain prompt. */
export interface Tried extends ShownAnswer {
  readonly round: number;
  /** Each scorer's raw value. */
  readonly scores: { readonly [scorer: string]: number };
}

/** A prompt of the next round: what it shows, and how many answers it gets (1 by default). */
export interface NextPrompt {
  readonly template: Template;
  readonly shows: readonly ShownAnswer[];
  readonly answers?: number;
  /** The reward that the answers are compared with; by default that of a shown answer, drawn at random. */
  readonly base?: number;
}

/** The prompts of a round for one problem, given the earlier answers to it in their order; may be none. */
export type NextPrompts = (
  problem: Problem,
  tried: readonly Tried[],
  round: number,
  random: RandomStream,
) => readonly NextPrompt[];

/** Rows with another prompt in place of theirs: from the first trained token on they stay as they are. */
export const withPrompts = (
  { tokens, mask }: Pick<Columns, 'tokens' | 'mask'>,
  prompts: readonly Int32Array[],
): { tokens: PerToken<Int32Array>; mask: PerToken<Uint8Array>; starts: readonly number[] } => {
  const starts = prompts.map((_, r) => {
    const first = rowOf(mask, r).indexOf(1);
    return first < 0 ? rowOf(mask, r).length : first;
  });
  return {
    starts,
    tokens: ragged(prompts, Int32Array, (prompt, r) => [...prompt, ...rowOf(tokens, r).subarray(starts[r])]),
    mask: ragged(prompts, Uint8Array, (prompt, r) => [
      ...prompt.map(() => 0),
      ...rowOf(mask, r).subarray(starts[r]),
    ]),
  };
};
