/**
 * True if a scorer's values are verdicts, not a learned or hand-made proxy: the world's own verifier, or a match
 * of the answer with a reference.
 */
export const isVerifier = (scorer: string): boolean =>
  scorer === 'verifier' || /^match\/[\w-]+$/.test(scorer);

/** The scorer among these whose verdicts count: the world's own verifier, else the first match; null without. */
export const verifierAmong = (scorers: readonly string[]): string | null =>
  scorers.find((name) => name === 'verifier') ?? scorers.find(isVerifier) ?? null;
