/** Rewards in code, for specifications of systems whose reward no part computes; each gives a number. */

/** Share of equal characters in equal places, of both texts together; −1 for an empty answer. */
export const likeness = `({ completion, reference }) => {
  const [a, b] = [completion.trim(), String(reference)];
  if (a === '') return -1;
  let same = 0;
  for (let at = 0; at < Math.min(a.length, b.length); at += 1) if (a[at] === b[at]) same += 1;
  return (2 * same) / (a.length + b.length);
}`;

/** Jaccard index of the words of answer and reference. */
export const sharedWords = `({ completion, reference }) => {
  const wordsOf = (text) => new Set(String(text).toLowerCase().match(/[a-z_]+|[0-9]+/g) ?? []);
  const [a, b] = [wordsOf(completion), wordsOf(reference)];
  const shared = [...a].filter((word) => b.has(word)).length;
  return shared / Math.max(1, a.size + b.size - shared);
}`;

/** 1 if every bracket is closed, else 0. */
export const balanced = `({ completion }) => {
  let open = 0;
  for (const letter of completion) {
    if (letter === '(') open += 1;
    if (letter === ')') open -= 1;
    if (open < 0) return 0;
  }
  return open === 0 ? 1 : 0;
}`;
