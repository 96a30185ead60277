import { hashFraction } from '../../random/hash.ts';
import type { PairItem, RecordOf, RowItem } from './writer.ts';

/** Most pairs of one prompt: 6,000 right and 6,000 wrong answers would have 36 million. */
const MOST = 1000;

const matched = (rows: readonly RowItem[], correct: boolean): readonly RowItem[] =>
  rows.filter((row) => row.correct === correct);

/** Columns that both rows have with the same value. */
const shared = (a: RecordOf = {}, b: RecordOf = {}): RecordOf =>
  Object.fromEntries(
    Object.entries(a).filter(
      ([name, value]) => name in b && JSON.stringify(b[name]) === JSON.stringify(value),
    ),
  );

/** Every right answer with every wrong one; a hash of the two decides which is `a`. */
const crossed = (rights: readonly RowItem[], wrongs: readonly RowItem[], promptId: string): PairItem[] => {
  const pairs: PairItem[] = [];
  for (const right of rights) {
    for (const wrong of wrongs) {
      if (pairs.length >= MOST) return pairs;
      if (right.answer === wrong.answer) continue;
      const pairId = `${right.row}-${wrong.row}`;
      const isRightA = hashFraction('side', pairId, right.answer, wrong.answer) < 0.5;
      pairs.push({
        pairId,
        promptId,
        prompt: right.prompt,
        a: isRightA ? right.answer : wrong.answer,
        b: isRightA ? wrong.answer : right.answer,
        verdict: isRightA ? 'a' : 'b',
        correctA: isRightA,
        correctB: !isRightA,
        reference: right.reference ?? wrong.reference,
        about: shared(right.extra, wrong.extra),
      });
    }
  }
  return pairs;
};

/**
 * Pairs of a right and a wrong answer to one prompt. Answers of one record of the file (a preference pair, or
 * the solutions of several models) are paired with each other; the remaining ones with all remaining ones.
 */
export const pairsOfPrompt = (rows: readonly RowItem[], promptId: string): readonly PairItem[] => {
  const records = Map.groupBy(rows, ({ line }) => line);
  const isWhole = (record: readonly RowItem[]): boolean =>
    matched(record, true).length > 0 && matched(record, false).length > 0;
  const whole = [...records.values()].filter(isWhole);
  const rest = [...records.values()].filter((record) => !isWhole(record)).flat();
  return [...whole, rest]
    .flatMap((record) => crossed(matched(record, true), matched(record, false), promptId))
    .slice(0, MOST);
};
