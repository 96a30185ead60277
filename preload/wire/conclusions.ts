/** Differences of runs as sentences: the same on pages, in reports and on the command line. */
import { count, delta, number, rate, withInterval } from './numbers.ts';

export interface Judged {
  readonly name: string;
  readonly baseline: string;
  readonly title: string;
  readonly unit: 'rate' | 'score' | 'tokens';
  readonly difference: number;
  readonly interval: readonly [number, number] | null;
  /** p-value after Holm's correction; null where there is none. */
  readonly adjusted: number | null;
  /** Number of comparisons that the p-value is corrected for. */
  readonly family: number;
  readonly problems: number;
  /** Problems of each side. */
  readonly of: readonly [number, number];
  /** Problems needed in all to see .02 with 80 % power; null where it cannot be said. */
  readonly needed: number | null;
  readonly seeds: readonly [number, number];
}
export type Verdict = 'higher' | 'lower' | 'unclear';

/** A p-value: `< .0001` at the least. */
export const pText = (p: number): string => (p < 1e-4 ? '< .0001' : `= ${rate(p, p < 0.01 ? 4 : 3)}`);

/** Higher or lower only if the corrected p-value is below .05 and the interval leaves out 0. */
export const verdictOf = ({
  difference,
  interval,
  adjusted,
}: Pick<Judged, 'difference' | 'interval' | 'adjusted'>): Verdict => {
  if (!interval || adjusted === null || adjusted >= 0.05) return 'unclear';
  if (interval[0] <= 0 && interval[1] >= 0) return 'unclear';
  return difference > 0 ? 'higher' : 'lower';
};

const signedNumber = (value: number): string => (value > 0 ? '+' : '') + number(value);
/** A difference with its interval, all with signs where `sign`. */
export const differenceText = (
  { difference, interval, unit }: Pick<Judged, 'difference' | 'interval' | 'unit'>,
  sign = true,
): string => {
  const write = unit === 'rate' ? (sign ? delta : rate) : sign ? signedNumber : number;
  if (!interval) return write(difference);
  return withInterval(difference, interval, sign ? delta : rate);
};

/** Basis of the comparison: common problems, those of each side if they differ, and seeds. */
const whereText = ({ problems, of, seeds }: Judged): string => {
  const sets = of.some((n) => n !== problems) ? ` (of ${count(of[0])} and ${count(of[1])})` : '';
  const means = seeds.some((n) => n > 1) ? `, means over ${seeds[0]} and ${seeds[1]} seeds` : '';
  return `on ${count(problems)} common ${problems === 1 ? 'problem' : 'problems'}${sets}${means}`;
};

/** Conclusion of the comparison with the baseline, in one sentence. */
export function conclusionText(judged: Judged): string {
  const { name, baseline, title, unit, difference, interval, adjusted, family, needed, problems } = judged;
  const verdict = verdictOf(judged);
  const subject = title === 'pass@1' ? '' : `${title}: `;
  if (verdict === 'unclear') {
    const more = needed === null ? null : needed - problems;
    const power =
      more === null
        ? ''
        : more > 0
          ? `; ${count(more)} more ${more === 1 ? 'problem' : 'problems'} would be needed to see .02`
          : '; these problems suffice to see .02';
    const isSame = difference === 0 && needed === null && unit === 'rate' && problems > 1;
    const same = isSame ? ', equal on each of them' : '';
    return `${subject}${name} and ${baseline} cannot be told apart: ${differenceText(judged)} ${whereText(judged)}${same}${power}.`;
  }
  const word =
    title === 'pass@1'
      ? { higher: 'better', lower: 'worse' }[verdict]
      : { higher: 'higher', lower: 'lower' }[verdict];
  const flipped =
    difference < 0 && interval
      ? { difference: -difference, interval: [-interval[1], -interval[0]] as const, unit }
      : { difference, interval, unit };
  const tokens = unit === 'tokens' ? ' tokens' : '';
  const p = adjusted === null ? '' : ` (p ${pText(adjusted)}${family > 1 ? `, Holm over ${family}` : ''})`;
  return `${subject}${name} is ${word} than ${baseline} by ${differenceText(flipped, false)}${tokens} ${whereText(judged)}${p}.`;
}
