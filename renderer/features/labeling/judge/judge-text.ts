import type { JudgeStatus } from '../../../../preload/contract/judge.ts';
import { judgedFrom } from '../../../../preload/wire/judge.ts';
import { count, percent, withInterval } from '../../../lib/format.ts';

/** The newest fit in one line, and without one how far it is. */
export function judgeText({ fit, decided, state }: JudgeStatus): string {
  if (fit?.accuracy != null && fit.interval)
    return `Judge ${withInterval(fit.accuracy, fit.interval)} at ${count(fit.labels)} labels`;
  if (fit) return `Judge of ${count(fit.labels)} labels; all are about one prompt, so none was left out`;
  return state === 'waiting' || decided < judgedFrom
    ? `Judge from ${judgedFrom} decisions on, ${count(decided)} so far`
    : 'Judge';
}

const steps: Readonly<Partial<Record<JudgeStatus['state'], string>>> = {
  features: 'reading pairs',
  fitting: 'fitting',
  ordering: 'ordering the queue',
};

/** The step in progress; empty if there is none. */
export function stepText({ state, share }: Pick<JudgeStatus, 'state' | 'share'>): string {
  const step = steps[state];
  if (step === undefined) return '';
  return share > 0 ? `${step}, ${percent(share)}` : `${step}…`;
}

/** The kind of order that the queue has now. */
export function orderText(
  { settings, orderedAt }: Pick<JudgeStatus, 'settings' | 'orderedAt'>,
  title: string,
): string {
  if (settings.order === 'random') return '';
  return orderedAt === null ? `${title}: random until it is ready` : title;
}
