import { WhetstoneError } from '../../common/errors.ts';
import type { MeasuredClaim } from '../../schema/systems.ts';

/** The number of which a claim is made, and the side on which its difference to the baseline should be. */
export interface Measure {
  readonly of: string;
  readonly better: MeasuredClaim['better'];
}

/** One experiment of a system: each claim compares two sides on every seed. */
export interface SystemEffects {
  /** The id of the system. */
  readonly system: string;
  /** Id and setting of a second experiment; absent for the one that has the system's id. */
  readonly experiment?: { readonly id: string; readonly setting: string };
  readonly seeds: number;
  /** Budget of a side, in a few words. */
  readonly budget: string;
  readonly claims: readonly MeasuredClaim[];
}

const NUMBER = /^[+−]?(?:\d+(?:\.\d+)?|\.\d+)$/;
const numberOf = (text: string): number => (NUMBER.test(text) ? Number(text.replace('−', '-')) : Number.NaN);

/** The numbers of `+.331 [.302, .361]`. Throws `internal` for any other form. */
export const figuresOf = (figures: string): Pick<MeasuredClaim, 'effect' | 'interval'> => {
  const [effect = Number.NaN, low = Number.NaN, high = Number.NaN] = (
    /^(\S+) \[(\S+), (\S+)\]$/.exec(figures)?.slice(1) ?? []
  ).map(numberOf);
  if (!(low <= effect && effect <= high))
    throw new WhetstoneError('internal', `'${figures}' is no difference with its interval.`);
  return { effect, interval: [low, high] };
};

/**
 * A claim with its difference to the baseline and the 95 % interval, as tests/bench/README.md prints them:
 * `+.331 [.302, .361]`.
 */
export const claim = (
  words: string,
  baseline: string,
  { of, better }: Measure,
  figures: string,
  holds: MeasuredClaim['holds'],
): MeasuredClaim => ({ claim: words, baseline, measure: of, better, figures, ...figuresOf(figures), holds });
