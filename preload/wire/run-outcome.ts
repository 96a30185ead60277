/** The headline of a run as texts: lists of runs on pages and of the command line show them. */
import type { RunOutcome } from '../../engine/schema/run-outcome.ts';
import { divergence, duration, rate } from './numbers.ts';

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
} as const;

/** Seconds from the start of a run to its end; null if it has not ended. */
export const secondsOf = ({ startedAt, endedAt }: Ended): number | null =>
  startedAt === null || endedAt === null ? null : (endedAt - startedAt) / 1000;

/** pass@1 or accuracy, KL and duration, as far as they are known; nothing for a run without a result. */
export const outcomeFacts = (run: Ended): OutcomeFact[] => {
  const { outcome } = run;
  const seconds = secondsOf(run);
  if (!outcome) return [];
  const { measure, value, kl } = outcome;
  return [
    { label: measure, text: rate(value), hint: hints[measure] },
    ...(kl === null
      ? []
      : [{ label: 'KL', text: divergence(kl), hint: 'KL to the initial policy, in nats' }]),
    ...(seconds === null ? [] : [{ label: 'duration', text: duration(seconds), hint: 'Duration' }]),
  ];
};
