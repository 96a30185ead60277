import type { InspectedPair } from '../../schema/inspected-pair.ts';
import type { Verdict } from '../../schema/preference.ts';
import { logOdds, type ScoredPair } from '../inspect-pairs.ts';

/** A scored pair with its text, and what is known of its label. */
export interface ScoredRow extends ScoredPair {
  readonly pairId: string;
  readonly prompt: string;
  readonly weight?: number;
  readonly strength?: number;
}

/** Numbers keys by first appearance, from 0. */
const numbering = (): ((key: string) => number) => {
  const known = new Map<string, number>();
  return (key) => {
    const number = known.get(key) ?? known.size;
    known.set(key, number);
    return number;
  };
};

/** The answer that a verdict prefers comes first; of other verdicts, a does. */
const swaps = (verdict: Verdict): boolean => verdict === 'b';

/**
 * The pairs of an inspection one by one, in their order. `probable`: scores are probabilities, whose odds are
 * the difference of their log-odds, as in `inspectPairs`. Answers are numbered as the inspection counts them:
 * by prompt and text.
 */
export function* inspectedPairs(
  pairs: Iterable<ScoredRow>,
  { probable = false }: { readonly probable?: boolean } = {},
): Generator<InspectedPair> {
  const promptNumber = numbering();
  const answerNumber = numbering();
  for (const { pairId, promptId, prompt, a, b, verdict, weight, strength } of pairs) {
    const [chosen, rejected] = swaps(verdict) ? [b, a] : [a, b];
    yield {
      pairId,
      promptId,
      prompt,
      chosen: chosen.text,
      rejected: rejected.text,
      verdict,
      chosenScore: chosen.score,
      rejectedScore: rejected.score,
      odds: probable ? logOdds(chosen.score) - logOdds(rejected.score) : chosen.score - rejected.score,
      chosenTokens: chosen.tokens,
      rejectedTokens: rejected.tokens,
      chosenCorrect: chosen.correct,
      rejectedCorrect: rejected.correct,
      promptNumber: promptNumber(promptId),
      chosenNumber: answerNumber(`${promptId}\u0000${chosen.text}`),
      rejectedNumber: answerNumber(`${promptId}\u0000${rejected.text}`),
      ...(weight !== undefined && { weight }),
      ...(strength !== undefined && { strength }),
    };
  }
}
