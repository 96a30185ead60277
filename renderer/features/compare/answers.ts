import type { Sample } from '../../../preload/contract/runs.ts';

/** Equal answers as one, with their number. */
export interface Answer {
  readonly sample: Sample;
  readonly times: number;
}

/** Steps at which the samples were drawn, in order. */
export const pointsIn = (samples: readonly Pick<Sample, 'step'>[]): number[] =>
  [...new Set(samples.map(({ step }) => step))].sort((a, b) => a - b);

/**
 * One run's samples of its last evaluation up to `step` (null: its last), by the newest attempt that reached
 * it, in the order in which they were drawn.
 */
export function shownAt(own: readonly Sample[], step: number | null): Sample[] {
  const until = own.filter((sample) => step === null || sample.step <= step);
  const newest = until.reduce<Sample | null>(
    (best, each) =>
      best === null || each.attempt > best.attempt || (each.attempt === best.attempt && each.step > best.step)
        ? each
        : best,
    null,
  );
  return until
    .filter((each) => each.step === newest?.step && each.attempt === newest.attempt)
    .sort((a, b) => a.sample - b.sample);
}

/** Answers with the same text and the same scores as one, in the order of their first; the most frequent first. */
export function collapse(samples: readonly Sample[]): Answer[] {
  const found = Map.groupBy(samples, ({ completion, stopReason, scores }) =>
    JSON.stringify([completion, stopReason, Object.entries(scores).sort()]),
  );
  return [...found.values()]
    .map((own) => ({ sample: own[0], times: own.length }))
    .sort((a, b) => b.times - a.times);
}
