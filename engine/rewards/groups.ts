/** Shared code of rewards that compare the answers of a group: groups, votes, and text similarity. */
import type { AnswerRow } from './reward.ts';

export { cosineOfCounts, ngrams } from '../evaluate/index.ts';

/** Row positions of each group; a row without one is its own group. */
export const groupsOf = (rows: readonly AnswerRow[]): readonly (readonly number[])[] => {
  const groups = new Map<number, number[]>();
  const alone: number[][] = [];
  rows.forEach(({ group }, r) => {
    const found = group === undefined ? undefined : groups.get(group);
    if (found) found.push(r);
    else if (group === undefined) alone.push([r]);
    else groups.set(group, [r]);
  });
  return [...groups.values(), ...alone];
};

/**
 * The answers with the most votes: all of them in a tie, so that the order of the rows does not matter.
 * `null` is not a vote.
 */
export const majorityOf = (votes: readonly (string | null)[]): ReadonlySet<string> => {
  const counts = new Map<string, number>();
  for (const vote of votes) if (vote !== null) counts.set(vote, (counts.get(vote) ?? 0) + 1);
  const most = Math.max(0, ...counts.values());
  return new Set([...counts].flatMap(([vote, count]) => (count === most ? [vote] : [])));
};

/** Cosine of rows r and s of R × width values, 0 if either is zero. */
export const cosineOfRows = (values: Float64Array, width: number, r: number, s: number): number => {
  let [product, own, other] = [0, 0, 0];
  for (let d = 0; d < width; d++) {
    const [a, b] = [values[r * width + d], values[s * width + d]];
    product += a * b;
    own += a * a;
    other += b * b;
  }
  return own === 0 || other === 0 ? 0 : product / Math.sqrt(own * other);
};
