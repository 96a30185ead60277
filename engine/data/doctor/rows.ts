/** Findings about single answers: equal ones, and equal ones with different marks. */
import { normalisedText } from './texts.ts';

/** One answer as the doctor reads it. */
export interface AnswerFacts {
  readonly id: string;
  readonly prompt: string;
  readonly answer: string;
  readonly correct?: boolean | null;
}

/** Rows that belong together, in the order of the data. */
export type Group = readonly string[];

const grouped = <T extends { readonly id: string }>(rows: Iterable<T>, key: (row: T) => string): T[][] =>
  [...Map.groupBy(rows, key).values()].filter((group) => group.length > 1);

const idsOf = (groups: readonly (readonly { readonly id: string }[])[]): Group[] =>
  groups.map((group) => group.map(({ id }) => id));

/** A separator that no normalised text contains. */
const BETWEEN = '\u0000';
const keyOf = (...texts: readonly string[]): string => texts.map(normalisedText).join(BETWEEN);

/** Rows whose prompt and answer are equal after normalisation. */
export const exactDuplicates = (rows: Iterable<AnswerFacts>): Group[] =>
  idsOf(grouped(rows, ({ prompt, answer }) => keyOf(prompt, answer)));

/** Rows with equal prompt and answer of which one is marked right and another wrong. */
export const contradictoryMarks = (rows: Iterable<AnswerFacts>): Group[] =>
  idsOf(
    grouped(rows, ({ prompt, answer }) => keyOf(prompt, answer)).filter(
      (group) =>
        group.some(({ correct }) => correct === true) && group.some(({ correct }) => correct === false),
    ),
  );

/** One pair as the doctor reads it; `verdict` is what was chosen, if anything. */
export interface PairFacts {
  readonly id: string;
  readonly prompt: string;
  readonly a: string;
  readonly b: string;
  readonly verdict?: string | null;
}

export interface PairFindings {
  /** Pairs whose two answers are equal: no verdict can be right. */
  readonly identicalAnswers: readonly string[];
  /** Pairs that repeat an earlier one, with the answers in the same order or swapped. */
  readonly repeated: readonly { readonly pairs: Group; readonly swapped: boolean }[];
  /** Repeated pairs of which one prefers the first answer and another the second. */
  readonly contradictory: readonly Group[];
}

/** Which answer a pair prefers, independent of its order; null for ties and missing verdicts. */
const preferred = ({ a, b, verdict }: PairFacts): string | null =>
  verdict === 'a' ? normalisedText(a) : verdict === 'b' ? normalisedText(b) : null;

/** Identical answers, repeated or swapped pairs, and opposite verdicts on one pair. */
export const pairFindings = (pairs: Iterable<PairFacts>): PairFindings => {
  const all = [...pairs];
  const same = all.filter(({ a, b }) => normalisedText(a) === normalisedText(b));
  const skip = new Set(same);
  const groups = grouped(
    all.filter((pair) => !skip.has(pair)),
    ({ prompt, a, b }) => keyOf(prompt, ...[normalisedText(a), normalisedText(b)].sort()),
  );
  return {
    identicalAnswers: same.map(({ id }) => id),
    repeated: groups.map((group) => ({
      pairs: group.map(({ id }) => id),
      swapped: group.some(({ a }) => normalisedText(a) !== normalisedText(group[0].a)),
    })),
    contradictory: idsOf(
      groups.filter((group) => new Set(group.map(preferred).filter((text) => text !== null)).size > 1),
    ),
  };
};
