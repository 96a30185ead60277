/** Measures of a model on the rows of a dataset: likelihood of answers, and the order of pairs. */
import { clusteredMeanInterval } from '../../evaluate/index.ts';
import type { Interval, PreferenceEvaluation } from '../../schema/evaluation.ts';
import type { Preference } from '../../schema/preference.ts';
import type { Tokenizer } from '../../text/tokenizer.ts';
import type { LiveModel } from '../compute/live-model.ts';
import type { Example } from '../tasks/task-data.ts';
import {
  answerLikelihoods,
  evaluatePreferences,
  gainedScore,
  likelihoodScore,
  type AnswerScore,
} from './evaluation.ts';

/** A measure on a further task, with its 95 % interval where it has one. */
export interface Measured {
  readonly value: number;
  readonly interval?: Interval;
}
export type Measures = { readonly [measure: string]: Measured };

/**
 * `loss`: negative log-likelihood of the answers, end token included, in nats per token; `perplexity`: e to that.
 * The intervals resample prompts.
 */
export const likelihoodMeasures = async (
  model: LiveModel,
  examples: readonly Example[],
  { tokenizer, seed }: { readonly tokenizer: Tokenizer; readonly seed: number },
): Promise<Measures> => {
  const { logp, tokens } = await answerLikelihoods(model, examples, tokenizer);
  const byPrompt = new Map<string, { sum: number; n: number }>();
  examples.forEach(({ promptId }, r) => {
    const { sum, n } = byPrompt.get(promptId) ?? { sum: 0, n: 0 };
    byPrompt.set(promptId, { sum: sum - logp[r], n: n + tokens[r] });
  });
  const clusters = [...byPrompt.values()];
  const total = clusters.reduce((all, { sum, n }) => ({ sum: all.sum + sum, n: all.n + n }), {
    sum: 0,
    n: 0,
  });
  const loss = total.sum / total.n;
  // a log-likelihood that is not finite is a result, and has no interval
  const interval = Number.isFinite(loss) ? clusteredMeanInterval(clusters, { seed }) : undefined;
  return {
    loss: { value: loss, ...(interval && { interval }) },
    perplexity: {
      value: Math.exp(loss),
      ...(interval && { interval: [Math.exp(interval[0]), Math.exp(interval[1])] }),
    },
  };
};

const accuracyOf = ({ accuracy, accuracyInterval }: PreferenceEvaluation): Measured => ({
  value: accuracy,
  interval: accuracyInterval,
});

/** `accuracy`: share of pairs whose preferred answer has the higher score; `margin`: mean difference of the scores. */
export const pairMeasures = async (
  pairs: readonly Preference[],
  score: AnswerScore,
  seed: number,
): Promise<Measures> => {
  const found = await evaluatePreferences(pairs, score, seed);
  return { accuracy: accuracyOf(found), margin: { value: found.rewardMargin } };
};

/**
 * Pairs of a model that writes. `likelihood_accuracy`: share of pairs whose preferred answer is the likelier one.
 * Over the run's initial model, `accuracy` and `margin` of the implicit reward (arXiv:2305.18290, section 5.1).
 */
export const writerPairMeasures = async (
  pairs: readonly Preference[],
  { model, initial }: { readonly model: LiveModel; readonly initial: LiveModel | null },
  { tokenizer, seed }: { readonly tokenizer: Tokenizer; readonly seed: number },
): Promise<Measures> => {
  const own = await likelihoodScore(model, tokenizer)(pairs);
  const now: AnswerScore = () => Promise.resolve(own);
  const likelier = await evaluatePreferences(pairs, now, seed);
  return {
    likelihood_accuracy: accuracyOf(likelier),
    ...(initial && (await pairMeasures(pairs, gainedScore(now, likelihoodScore(initial, tokenizer)), seed))),
  };
};
