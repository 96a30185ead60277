/**
 * Tells a run that went wrong from a good one by its stored results alone, where the run doctor has not examined
 * it: an imported run, or one of an earlier version. Lists, pages, reports and commands show these sentences.
 */
import type { PolicyEvaluation } from '../../engine/schema/evaluation.ts';
import type { RunWarning } from '../../engine/schema/run-outcome.ts';
import { number, rate } from './numbers.ts';

/** Results of a run that warnings are derived from. */
export interface Evidence {
  /** Evaluation of the checkpoint that the run began from, on the same problems. */
  readonly start: PolicyEvaluation | null;
  /** The run's own first and last evaluation; the same one if there is only one. */
  readonly first: PolicyEvaluation | null;
  readonly last: PolicyEvaluation | null;
  /** True if the run was trained on a reward other than a verifier. */
  readonly trainsOnProxy: boolean;
  /** Mean training reward over the first and the last steps; read only where evaluations do not decide. */
  readonly trainingReward: () => { readonly first: number; readonly last: number } | null;
  /** The first training metric that was not finite. */
  readonly notFinite: { readonly metric: string; readonly step: number } | null;
}

/** Warnings of a run, the most serious first. */
export const warningsOf = (evidence: Evidence): RunWarning[] => [
  ...notFiniteWarnings(evidence),
  ...declineWarnings(evidence),
];

const notFiniteWarnings = ({ notFinite, last }: Evidence): RunWarning[] => {
  const places = [
    ...(notFinite ? [`${notFinite.metric} at step ${notFinite.step}`] : []),
    ...(last ? notFiniteIn(last).map((name) => `${name} in the evaluation at step ${last.step}`) : []),
  ];
  if (places.length === 0) return [];
  const text =
    `Not finite (NaN or infinity): ${places.join(', ')}. Lower the learning rate, or start from an earlier ` +
    'checkpoint.';
  return [{ kind: 'not-finite', text }];
};

const notFiniteIn = ({ passAt1, greedy, kl, gold, proxy }: PolicyEvaluation): string[] =>
  Object.entries({ 'pass@1': passAt1, greedy, KL: kl, gold, proxy })
    .filter(([, value]) => value !== null && !Number.isFinite(value))
    .map(([name]) => name);

/** Held-out pass@1 fell by more than both intervals allow; with a rising proxy that is over-optimization. */
const declineWarnings = (evidence: Evidence): RunWarning[] => {
  const { first, last, start } = evidence;
  const before = start ?? (first && last && first.step < last.step ? first : null);
  if (!before || !last || !(last.passAt1Interval[1] < before.passAt1Interval[0])) return [];
  const fell = `pass@1 fell from ${rate(before.passAt1)} to ${rate(last.passAt1)}`;
  const proxy = proxyRise(evidence);
  if (!proxy) return [{ kind: 'decline', text: `Held-out ${fell}, beyond both intervals.` }];
  const text =
    `Reward over-optimization: the reward it trains on rose from ${number(proxy.first)} to ` +
    `${number(proxy.last)} while held-out ${fell}. Raise the KL weight, or use an earlier checkpoint.`;
  return [{ kind: 'over-optimization', text }];
};

/** The proxy by the run's own evaluations; with only one of them, by its training steps. */
const proxyRise = ({ trainsOnProxy, first, last, trainingReward }: Evidence) => {
  if (!trainsOnProxy || !first || !last || last.proxy === null) return null;
  const found =
    first.step < last.step && first.proxy !== null
      ? { first: first.proxy, last: last.proxy }
      : trainingReward();
  return found && found.last > found.first ? found : null;
};
