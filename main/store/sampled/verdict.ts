import { verifierAmong } from '../../../engine/common/verifiers.ts';

/** A verifier's verdict among the scores of an answer: right if its score is 1, wrong if 0; null without one. */
export function verdictOf(scores: Readonly<Record<string, number>>): boolean | null {
  const name = verifierAmong(Object.keys(scores));
  const value = name === null ? null : scores[name];
  return value === 1 ? true : value === 0 ? false : null;
}
