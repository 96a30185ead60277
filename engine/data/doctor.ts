import type { Message } from '../schema/conversation.ts';
import type { Column } from './columns.ts';
import { Fingerprints } from './fingerprints.ts';
import { VerifierGuess } from './guess-verifier.ts';

/** One stored answer to a prompt. `row` counts from 0, `line` from 1. */
export interface DataRow {
  readonly row: number;
  readonly line: number;
  readonly promptId: string;
  readonly prompt: string;
  readonly answer: string;
  readonly reference: string | null;
  readonly correct: boolean | null;
  readonly source: string;
  /** The whole conversation, if the row is one. */
  readonly messages?: Message[];
  /** Remaining values of the record, by column. */
  readonly extra?: Readonly<Record<string, unknown>>;
}

/**
 * Statistics of a file. `rows` and `rejected` count records of the file, `answers` the rows made from them.
 */
export interface Findings {
  readonly format: string;
  readonly why: string;
  readonly rows: number;
  readonly rejected: number;
  /** Rejected pairs that lack an answer, which never refuse a file. */
  readonly aside: number;
  readonly prompts: number;
  readonly answers: number;
  readonly correct: number;
  readonly wrong: number;
  readonly unmarked: number;
  /** Answers identical to an earlier one to the same prompt. */
  readonly duplicates: number;
  readonly pairs: number;
  readonly promptsWithPairs: number;
  readonly longestWins: number | null;
  readonly shortestWins: number | null;
  readonly meanAnswerCharacters: number;
  /** Rows with a reference, and the reward that most likely suits all of them; null without any. */
  readonly references: number;
  readonly verifier: string | null;
  /** Every column of the records, and its use. */
  readonly columns: readonly Column[];
}

/** The lengths of a prompt without marked answers, shared to save memory. */
const none: number[] = [];

/**
 * Counts answers, pairs and length biases in a stream of rows. A pair is any right answer with any wrong
 * answer to the same prompt; duplicates count each time. `longestWins` is the share of pairs whose right
 * answer has more characters (UTF-16 units); pairs of equal length count for neither side, so the two shares
 * may add up to less than 1.
 */
export class Doctor {
  /** Lengths of the marked answers to each prompt: a right one's as it is, a wrong one's as its complement. */
  readonly #lengths = new Map<string, number[]>();
  readonly #seen = new Fingerprints();
  #answers = 0;
  #characters = 0;
  #unmarked = 0;
  #duplicates = 0;
  readonly #guess = new VerifierGuess();

  add(row: Pick<DataRow, 'promptId' | 'prompt' | 'answer' | 'correct' | 'reference'>): void {
    const { promptId, answer, correct } = row;
    this.#guess.add(row);
    this.#answers++;
    this.#characters += answer.length;
    const lengths = this.#lengths.get(promptId);
    if (lengths === undefined || lengths === none)
      this.#lengths.set(promptId, correct === null ? none : [correct ? answer.length : ~answer.length]);
    else if (correct !== null) lengths.push(correct ? answer.length : ~answer.length);
    if (correct === null) this.#unmarked++;
    if (!this.#seen.add(promptId + answer)) this.#duplicates++;
  }

  findings(about: Pick<Findings, 'format' | 'why' | 'rows' | 'rejected' | 'aside' | 'columns'>): Findings {
    const prompts = [...this.#lengths.values()].map((lengths) => ({
      right: lengths.filter((length) => length >= 0),
      wrong: lengths.filter((length) => length < 0).map((length) => ~length),
    }));
    const counts = prompts.map(({ right, wrong }) => comparisons(right, wrong));
    const total = (pick: (count: { pairs: number; longer: number; shorter: number }) => number) =>
      counts.reduce((sum, count) => sum + pick(count), 0);
    const pairs = total((count) => count.pairs);
    const share = (wins: number) => (pairs === 0 ? null : wins / pairs);
    return {
      ...about,
      prompts: prompts.length,
      answers: this.#answers,
      correct: prompts.reduce((sum, { right }) => sum + right.length, 0),
      wrong: prompts.reduce((sum, { wrong }) => sum + wrong.length, 0),
      unmarked: this.#unmarked,
      duplicates: this.#duplicates,
      pairs,
      promptsWithPairs: counts.filter((count) => count.pairs > 0).length,
      longestWins: share(total((count) => count.longer)),
      shortestWins: share(total((count) => count.shorter)),
      meanAnswerCharacters: this.#answers === 0 ? 0 : this.#characters / this.#answers,
      references: this.#guess.count,
      verifier: this.#guess.suggestion,
    };
  }
}

/**
 * All right × wrong combinations: their number, and in how many the right one is longer or shorter. Sorts,
 * so that many answers stay cheap.
 */
const comparisons = (
  right: readonly number[],
  wrong: readonly number[],
): { pairs: number; longer: number; shorter: number } => {
  const sorted = [...wrong].sort((a, b) => a - b);
  const below = (length: number, inclusive: boolean): number => {
    let [low, high] = [0, sorted.length];
    while (low < high) {
      const middle = (low + high) >> 1;
      if (sorted[middle] < length || (inclusive && sorted[middle] === length)) low = middle + 1;
      else high = middle;
    }
    return low;
  };
  let [longer, shorter] = [0, 0];
  for (const length of right) {
    longer += below(length, false);
    shorter += sorted.length - below(length, true);
  }
  return { pairs: right.length * wrong.length, longer, shorter };
};
