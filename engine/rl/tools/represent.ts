/** The representations of answers that a judge's head reads. */
import type { OpenedJudge } from '../evaluation/model-scorers.ts';
import { scoredTokens, tokensOf } from '../evaluation/scored-tokens.ts';

/** Representations of answers, items × width, row by row. */
export interface Representations {
  readonly values: Float64Array;
  readonly width: number;
  /** Answers that exceed the context with their prompts, and are read in part. */
  readonly cut: number;
}

/**
 * Final hidden state of the last token of each answer, which a reward head turns into the score: answers are
 * cut to the context as for a score. Of a judge without such a head it is the state at the same token. It
 * pauses between its passes; no items have width 0.
 */
export async function represent(
  { live, tokenizer }: OpenedJudge,
  items: readonly { readonly prompt: string; readonly completion: string }[],
): Promise<Representations> {
  const { context } = live.programs.graph;
  const cut = items.filter((item) => tokensOf(item, tokenizer) > context).length;
  if (items.length === 0) return { values: new Float64Array(), width: 0, cut };
  return { ...(await live.features(scoredTokens(items, tokenizer, context))), cut };
}
