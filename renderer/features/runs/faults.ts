import type { RewardFault } from '../../../engine/schema/results.ts';

/** An answer that a scorer failed on, with the reason and the step. */
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

/** Groups faults by reason, the most frequent first. */
export const faultGroups = (faults: readonly ShownFault[]): readonly FaultGroup[] =>
  [...Map.groupBy(faults, ({ scorer, kind, message }) => JSON.stringify([scorer, kind, message])).values()]
    .map((own) => {
      const [{ scorer, kind, message }] = own;
      const steps = own.map(({ step }) => step);
      return { scorer, kind, message, from: Math.min(...steps), to: Math.max(...steps), faults: own };
    })
    .sort((a, b) => b.faults.length - a.faults.length);

/** An answer’s values by scorer, with `failed` if the value is only the fallback of a scorer that failed. */
export const scoresOf = (
  scores: Readonly<Record<string, number>>,
): readonly { readonly name: string; readonly value: number; readonly failed: boolean }[] =>
  Object.entries(scores)
    .filter(([name]) => !name.endsWith(FAILED))
    .map(([name, value]) => ({ name, value, failed: scores[`${name}${FAILED}`] === 1 }));

/** Scorers that failed in the newest batch, with the share of its answers that they failed on. */
export const failingScorers = (
  series: readonly { readonly name: string; readonly values: ArrayLike<number> }[],
): readonly { readonly scorer: string; readonly share: number }[] =>
  series
    .filter(({ name, values }) => name.startsWith('reward/') && name.endsWith(FAILED) && values.length > 0)
    .map(({ name, values }) => ({
      scorer: name.slice('reward/'.length, -FAILED.length),
      share: values[values.length - 1],
    }))
    .filter(({ share }) => share > 0);
