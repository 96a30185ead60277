/** A verifier's verdict among the scores of an answer: right if its score is 1, wrong if 0; null without one. */
export function verdictOf(scores: Readonly<Record<string, number>>): boolean | null {
  const name = Object.keys(scores).find((each) => each === 'verifier' || /^match\/[\w-]+$/.test(each));
  const value = name === undefined ? null : scores[name];
  return value === 1 ? true : value === 0 ? false : null;
}
