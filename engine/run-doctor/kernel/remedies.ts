/** Remedies that several rules offer: settings of a copy of the run. Each is empty where it does not apply. */
import type { RunRemedy } from '../../schema/run-finding.ts';
import type { Evidence } from './evidence.ts';
import { rounded, short } from './rule.ts';

const setting = (title: string, path: string, value: unknown): RunRemedy => ({
  title,
  changes: [{ path: path.split('.'), value }],
});

/** The learning rate times a factor, at most 10; from 0, the schema's default. */
export const learningRate = ({ spec }: Evidence, factor: number): RunRemedy => {
  const now = spec.optimizer.learningRate;
  const value = now === 0 ? 5e-4 : Math.min(10, rounded(now * factor));
  return setting(`Learning rate ${short(value)}`, 'optimizer.learningRate', value);
};

/** A learning rate that trains small models. */
export const usualRate = (value: number): RunRemedy =>
  setting(`Learning rate ${short(value)}`, 'optimizer.learningRate', value);

/** A parameter of the method, where the method has it. */
export const param = (evidence: Evidence, name: string, value: unknown, title: string): RunRemedy[] =>
  name in evidence.spec.method.params ? [setting(title, `method.params.${name}`, value)] : [];

/** The KL weight times a factor, or `least` where it is 0. */
export const klWeight = (evidence: Evidence, factor: number, least = 0.05): RunRemedy[] => {
  const now = evidence.param('klWeight');
  if (now === null) return [];
  const value = rounded(Math.max(least, now * factor));
  return param(evidence, 'klWeight', value, `KL weight ${short(value)}`);
};

/** One epoch over each batch of rows. */
export const oneEpoch = (evidence: Evidence): RunRemedy[] =>
  (evidence.param('epochs') ?? 1) > 1 ? param(evidence, 'epochs', 1, 'One epoch over each batch') : [];

/** Fewer (or more) updates; at least one. */
export const steps = (count: number): RunRemedy => {
  const value = Math.min(1_000_000, Math.max(1, Math.round(count)));
  return setting(`${value} steps`, 'budget.steps', value);
};

/** Longer answers, at most 8,192 tokens. */
export const longerAnswers = ({ spec }: Evidence): RunRemedy => {
  const value = Math.min(8192, spec.sampling.maxTokens * 2);
  return setting(`Answers of up to ${value} tokens`, 'sampling.maxTokens', value);
};

/** Evaluations and checkpoints along the way, so that an earlier policy can be kept. */
export const watch = ({ spec }: Evidence): RunRemedy => {
  const every = Math.max(1, Math.round(spec.budget.steps / 10));
  return {
    title: `Evaluate and save every ${every} steps`,
    changes: [
      { path: ['evaluation', 'every'], value: every },
      { path: ['checkpoints', 'every'], value: every },
      { path: ['checkpoints', 'keep'], value: 10 },
    ],
  };
};

/**
 * The weight of a scorer in the total reward; empty for a scorer that the run does not have, and for weight 0
 * of its only one.
 */
export const rewardWeight = ({ spec }: Evidence, scorer: string, weight: number): RunRemedy[] => {
  const at = spec.rewards.findIndex(({ id }) => id === scorer);
  const isOnly = spec.rewards.every((each, other) => other === at || each.weight === 0);
  return at < 0 || (weight === 0 && isOnly)
    ? []
    : [setting(`Weight ${short(weight)} for ${scorer}`, `rewards.${at}.weight`, weight)];
};

/** Other settings by their path. */
export const change = (title: string, path: string, value: unknown): RunRemedy => setting(title, path, value);
