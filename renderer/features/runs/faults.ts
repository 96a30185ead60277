import type { RewardFault } from '../../../engine/schema/results.ts';

/** Answers that a scorer could not score: what is said of them, and where. */
export interface ShownFault extends RewardFault {
  readonly step: number;
}
export interface FaultGroup {
  readonly scorer: string;
  readonly kind: string;
  readonly message: string;
  readonly from: number;
  readonly to: number;
  readonly faults: readonly ShownFault[];
}

const FAILED = '/failed';

/** Faults with the same reason together, the most frequent first. */
export const faultGroups = (faults: readonly ShownFault[]): readonly FaultGroup[] =>
  [...Map.groupBy(faults, ({ scorer, kind, message }) => JSON.stringify([scorer, kind, message])).values()]
    .map((own) => {
      const [{ scorer, kind, message }] = own;
      const steps = own.map(({ step }) => step);
      return { scorer, kind, message, from: Math.min(...steps), to: Math.max(...steps), faults: own };
    })
    .sort((a, b) => b.faults.length - a.faults.length);

/** An answer’s values by scorer; one that failed on it says so in place of the number that stands in. */
export const scoresOf = (
  scores: Readonly<Record<string, number>>,
): readonly { readonly name: string; readonly value: number; readonly failed: boolean }[] =>
  Object.entries(scores)
    .filter(([name]) => !name.endsWith(FAILED))
    .map(([name, value]) => ({ name, value, failed: scores[`${name}${FAILED}`] === 1 }));

/** Scorers that failed in the newest batch, with the share of its answers that they failed on. */
export const failingNow = (
  series: readonly { readonly name: string; readonly values: ArrayLike<number> }[],
): readonly { readonly scorer: string; readonly share: number }[] =>
  series
    .filter(({ name, values }) => name.startsWith('reward/') && name.endsWith(FAILED) && values.length > 0)
    .map(({ name, values }) => ({
      scorer: name.slice('reward/'.length, -FAILED.length),
      share: values[values.length - 1],
    }))
    .filter(({ share }) => share > 0);
