import type { Bits } from '../rows/bits.ts';
import type { Sliced } from '../slices.ts';
import { firstBy } from './order.ts';
import type { SampleTable } from './table.ts';

/** Answers of one prompt, or equal ones to it, among the matching answers. */
export interface Group {
  /** The newest of them. */
  readonly row: number;
  readonly count: number;
  /** Different texts among them. */
  readonly distinct: number;
  /** Mean of the sort's number over those that have one; NaN without any. */
  readonly mean: number;
  readonly right: number;
  readonly wrong: number;
}

/** Counts by the code of a group; all arrays are as long as the table. */
interface Tally {
  readonly newest: Int32Array;
  readonly counts: Uint32Array;
  readonly distinct: Uint32Array;
  readonly sums: Float64Array;
  readonly withKey: Uint32Array;
  readonly right: Uint32Array;
  readonly wrong: Uint32Array;
  readonly groups: number;
}

interface GroupChoice {
  readonly by: 'prompts' | 'answers';
  readonly matching: Bits;
  /** Number per answer whose mean orders the groups; null: prompts newest first, equal answers most frequent first. */
  readonly keys: Float64Array | null;
  readonly descending: boolean;
  readonly offset: number;
  readonly limit: number;
}

/** A page of groups of the matching answers, and their number. */
export function* groupPage(
  table: SampleTable,
  { by, matching, keys, descending, offset, limit }: GroupChoice,
): Sliced<{ readonly total: number; readonly groups: readonly Group[] }> {
  const codes = yield* table.codes();
  const verdicts = yield* table.numbers('mark');
  const tally = tallyOf(matching, codes[by], by === 'prompts' ? codes.answers : null, verdicts, keys);
  yield;
  const { newest, counts, sums, withKey } = tally;
  const order = keys
    ? sums.map((sum, code) => (withKey[code] === 0 ? Number.NaN : sum / withKey[code]))
    : Float64Array.from(by === 'prompts' ? newest : counts);
  const among = {
    forEachBack: (action: (code: number) => void): void => {
      for (let code = counts.length - 1; code >= 0; code -= 1) if (counts[code] > 0) action(code);
    },
  };
  const found = firstBy(order, keys ? descending : true, among, offset + limit).slice(offset);
  return { total: tally.groups, groups: found.map((code) => groupOf(tally, code)) };
}

const groupOf = ({ newest, counts, distinct, sums, withKey, right, wrong }: Tally, code: number): Group => ({
  row: newest[code],
  count: counts[code],
  distinct: Math.max(1, distinct[code]),
  mean: withKey[code] === 0 ? Number.NaN : sums[code] / withKey[code],
  right: right[code],
  wrong: wrong[code],
});

function tallyOf(
  matching: Bits,
  codes: Float64Array,
  texts: Float64Array | null,
  verdicts: Float64Array,
  keys: Float64Array | null,
): Tally {
  const size = codes.length;
  const newest = new Int32Array(size);
  const [counts, distinct, withKey] = [new Uint32Array(size), new Uint32Array(size), new Uint32Array(size)];
  const [right, wrong] = [new Uint32Array(size), new Uint32Array(size)];
  const sums = new Float64Array(size);
  const isSeen = new Uint8Array(size);
  let groups = 0;
  matching.forEach((row) => {
    const code = codes[row];
    if (counts[code] === 0) groups += 1;
    counts[code] += 1;
    newest[code] = row;
    if (texts && isSeen[texts[row]] === 0) {
      isSeen[texts[row]] = 1;
      distinct[code] += 1;
    }
    if (verdicts[row] === 2) right[code] += 1;
    else if (verdicts[row] === 1) wrong[code] += 1;
    if (keys && !Number.isNaN(keys[row])) {
      sums[code] += keys[row];
      withKey[code] += 1;
    }
  });
  return { newest, counts, distinct, sums, withKey, right, wrong, groups };
}
