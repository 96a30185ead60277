/** The headline of a run as texts: lists of runs on pages and of the command line show them. */
import type { RunOutcome } from '../../engine/schema/run-outcome.ts';
import { amount, divergence, duration, number, rate, withInterval } from './numbers.ts';

interface Ended {
  readonly outcome: RunOutcome | null;
  readonly startedAt: number | null;
  readonly endedAt: number | null;
}

export interface OutcomeFact {
  readonly label: string;
  readonly text: string;
  readonly hint: string;
}

const hints = {
  'pass@1': 'Share of right answers to held-out problems',
  accuracy: 'Share of held-out pairs that are ranked as labeled',
  return: 'Mean return of whole episodes',
} as const;

/** True if it lies between 0 and 1, so that outcomes can be drawn on one axis. */
export const isRate = ({ measure }: Pick<RunOutcome, 'measure'>): boolean => measure !== 'return';

/** The measure as pages name it. */
export const outcomeName = ({ measure }: Pick<RunOutcome, 'measure'>): string =>
  measure === 'accuracy' ? 'held-out accuracy' : measure;

/** The value, with its interval in brackets if it has one. */
export const outcomeText = (outcome: Pick<RunOutcome, 'measure' | 'value' | 'interval'>): string => {
  const { value, interval } = outcome;
  if (interval) return withInterval(value, interval, isRate(outcome) ? rate : amount);
  return isRate(outcome) ? rate(value) : number(value);
};

/** Seconds from the start of a run to its end; null if it has not ended. */
export const secondsOf = ({ startedAt, endedAt }: Ended): number | null =>
  startedAt === null || endedAt === null ? null : (endedAt - startedAt) / 1000;

/**
 * pass@1, accuracy or return, KL and duration, as far as they are known; nothing for a run without a result.
 */
export const outcomeFacts = (run: Ended): OutcomeFact[] => {
  const { outcome } = run;
  const seconds = secondsOf(run);
  if (!outcome) return [];
  const { measure, value, kl } = outcome;
  return [
    { label: measure, text: isRate(outcome) ? rate(value) : number(value), hint: hints[measure] },
    ...(kl === null
      ? []
      : [{ label: 'KL', text: divergence(kl), hint: 'KL to the initial policy, in nats' }]),
    ...(seconds === null ? [] : [{ label: 'duration', text: duration(seconds), hint: 'Duration' }]),
  ];
};
