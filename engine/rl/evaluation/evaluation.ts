/** Evaluates a model on held-out rows: loss on demonstrations, accuracy on pairs, scores of answers. */
import {
  auc,
  clusteredRateInterval,
  clustersOf,
  expectedCalibrationError,
  inspectPairs,
  leastSquaresLine,
  mean,
  reliability,
  type ScoredAnswer,
} from '../../evaluate/index.ts';
import { inspectedPairs, type ScoredRow } from '../../evaluate/pairs/index.ts';
import { WhetstoneError } from '../../common/errors.ts';
import type { PreferenceEvaluation } from '../../schema/evaluation.ts';
import type { Preference } from '../../schema/preference.ts';
import type { Tokenizer } from '../../text/tokenizer.ts';
import { part } from '../../pace/index.ts';
import { combined } from '../../rewards/combine.ts';
import type { JudgeModel } from '../compute/score-cache.ts';
import type { LiveModel } from '../compute/live-model.ts';
import type { Example, Graded } from '../tasks/task-data.ts';
import type { JudgeOutput } from '../../schema/judge-output.ts';
import { isProbability, ownCombination, partsOf } from './judge-output.ts';
import { voteMetrics } from './vote-metrics.ts';
import { maskedCounts, maskedSums } from '../kernel/rows.ts';
import { encodeRows } from '../tasks/encoding.ts';

/** Log-likelihood of the answer of each row in nats, and its number of tokens. */
export const answerLikelihoods = async (
  model: LiveModel,
  examples: readonly Example[],
  tokenizer: Tokenizer,
): Promise<{ readonly logp: Float64Array; readonly tokens: Float64Array }> => {
  const { tokens, mask } = encodeRows(examples, { tokenizer, context: model.programs.graph.context });
  return { logp: maskedSums(await model.logp(tokens, 1, mask), mask), tokens: maskedCounts(mask) };
};

/** Mean negative log-likelihood of held-out demonstrations, in nats per token. */
export const heldoutLoss = async (
  model: LiveModel,
  examples: readonly Example[],
  tokenizer: Tokenizer,
): Promise<number> => {
  const { logp, tokens } = await answerLikelihoods(model, examples, tokenizer);
  return -logp.reduce((a, b) => a + b, 0) / tokens.reduce((a, b) => a + b, 0);
};

export type AnswerScore = (pairs: readonly Preference[]) => Promise<{
  readonly a: Float64Array;
  readonly b: Float64Array;
  readonly lengthA: Float64Array;
  readonly lengthB: Float64Array;
}>;

/** Checks a model's scores. Throws `numeric` for a non-finite score, on which no statistic is defined. */
const numbersOf = <T extends ArrayLike<number>>(scores: T): T => {
  for (let r = 0; r < scores.length; r++) {
    if (Number.isFinite(scores[r])) continue;
    throw new WhetstoneError(
      'numeric',
      `The model gave a held-out answer a score of ${scores[r]}, which is not finite.`,
      {
        where: `held-out answer ${r + 1} of ${scores.length}`,
        hint: 'Continue from an earlier checkpoint with a lower learning rate.',
      },
    );
  }
  return scores;
};

/** Both answers of each pair as rows: a, then b. */
const bothRows = (pairs: readonly Preference[]): Example[] =>
  pairs.flatMap(({ promptId, prompt, a, b }) => [
    { promptId, prompt, answer: a },
    { promptId, prompt, answer: b },
  ]);
const sides = (values: ArrayLike<number>) => ({
  a: Float64Array.from({ length: values.length / 2 }, (_, p) => values[2 * p]),
  b: Float64Array.from({ length: values.length / 2 }, (_, p) => values[2 * p + 1]),
});

/** Log-likelihood of each answer under a model that writes. */
export const likelihoodScore =
  (model: LiveModel, tokenizer: Tokenizer): AnswerScore =>
  async (pairs) => {
    const { logp, tokens } = await answerLikelihoods(model, bothRows(pairs), tokenizer);
    const lengths = sides(tokens);
    return { ...sides(numbersOf(logp)), lengthA: lengths.a, lengthB: lengths.b };
  };

/** A policy's implicit reward, `now` less `before`, without its scale β (arXiv:2305.18290, section 5.1). */
export const gainedScore =
  (now: AnswerScore, before: AnswerScore): AnswerScore =>
  async (pairs) => {
    const start = await part(0, 0.5, () => before(pairs));
    const own = await part(0.5, 1, () => now(pairs));
    return {
      ...own,
      a: own.a.map((logp, p) => logp - start.a[p]),
      b: own.b.map((logp, p) => logp - start.b[p]),
    };
  };

/** The implicit reward of a policy over its initial one. */
export const implicitReward = (policy: LiveModel, initial: LiveModel, tokenizer: Tokenizer): AnswerScore =>
  gainedScore(likelihoodScore(policy, tokenizer), likelihoodScore(initial, tokenizer));

/** A judge's score of each answer: the outputs of its head, combined. */
export const headScore =
  (model: JudgeModel, tokenizer: Tokenizer, judgeOutput: JudgeOutput): AnswerScore =>
  async (pairs) => {
    const rows = bothRows(pairs);
    const { mask } = encodeRows(rows, { tokenizer, context: model.programs.graph.context });
    const lengths = sides(maskedCounts(mask));
    const scores = combined(
      ownCombination(judgeOutput),
      await partsOf(
        model,
        tokenizer,
        judgeOutput,
        rows.map(({ prompt, answer }) => ({ prompt, completion: answer })),
      ),
    );
    return { ...sides(numbersOf(scores)), lengthA: lengths.a, lengthB: lengths.b };
  };

/**
 * Metrics of scores as classifiers of correctness: area under the ROC curve; for probabilities also accuracy
 * at ½ and calibration error.
 */
const classifierMetrics = (
  name: string,
  values: ArrayLike<number>,
  right: readonly boolean[],
  probable: boolean,
): { [metric: string]: number } => {
  // an answer may have no judged step
  if (right.length === 0) return {};
  const hits = right.map(Number);
  const area = auc(values, right);
  const accuracy = mean(right.map((is, r) => Number(values[r] >= 0.5 === is)));
  return {
    ...(Number.isFinite(area) && { [`eval/${name}/auc`]: area }),
    ...(probable && {
      [`eval/${name}/accuracy`]: accuracy,
      [`eval/${name}/ece`]: expectedCalibrationError(reliability(values, hits)),
    }),
  };
};

/**
 * Evaluation of a judge on held-out answers. `lengthFit`: least-squares line of its score over the answer's
 * length in tokens, including the end mark; absent without answers.
 */
export interface JudgeEvaluation {
  readonly metrics: { readonly [metric: string]: number };
  readonly lengthFit?: { readonly intercept: number; readonly slope: number };
}

/** Evaluates a judge on held-out answers with verdicts, and on their steps if it judges steps. */
export const evaluateJudge = async (
  graded: readonly Graded[],
  model: JudgeModel,
  tokenizer: Tokenizer,
  judgeOutput: JudgeOutput,
): Promise<JudgeEvaluation> => {
  if (graded.length === 0) return { metrics: {} };
  const parts = await partsOf(
    model,
    tokenizer,
    judgeOutput,
    graded.map(({ prompt, answer }) => ({ prompt, completion: answer })),
  );
  const scores = numbersOf(combined(ownCombination(judgeOutput), parts));
  const lengths = maskedCounts(encodeRows(graded, { tokenizer, context: model.programs.graph.context }).mask);
  const answers = classifierMetrics(
    'answers',
    scores,
    graded.map(({ right }) => right),
    isProbability(judgeOutput),
  );
  const lengthFit = leastSquaresLine(lengths, scores);
  if (judgeOutput.kind === 'sampled')
    return { metrics: { ...answers, ...voteMetrics(parts, graded, judgeOutput.samples) }, lengthFit };
  if (judgeOutput.kind !== 'steps') return { metrics: answers, lengthFit };
  const steps = graded.flatMap(({ steps: marks = [] }, r) => {
    const own = parts.values.subarray(parts.offsets[r], parts.offsets[r + 1]);
    return marks
      .slice(0, own.length)
      .flatMap((right, at) => (right === null ? [] : [{ right, value: own[at] }]));
  });
  return {
    metrics: {
      ...answers,
      ...classifierMetrics(
        'steps',
        steps.map(({ value }) => value),
        steps.map(({ right }) => right),
        true,
      ),
    },
    lengthFit,
  };
};

const scoredPairs = async (pairs: readonly Preference[], score: AnswerScore): Promise<ScoredRow[]> => {
  if (pairs.length === 0) return [];
  const { a, b, lengthA, lengthB } = await score(pairs);
  const answer = (text: string, value: number, tokens: number, correct: boolean | null): ScoredAnswer => ({
    text,
    score: value,
    tokens,
    correct,
  });
  return pairs.map((pair, p) => ({
    pairId: pair.pairId,
    promptId: pair.promptId,
    prompt: pair.prompt,
    verdict: pair.verdict,
    ...(pair.weight !== undefined && { weight: pair.weight }),
    ...(pair.strength !== undefined && { strength: pair.strength }),
    a: answer(pair.a, a[p], lengthA[p], pair.correctA),
    b: answer(pair.b, b[p], lengthB[p], pair.correctB),
  }));
};

/**
 * Evaluates a reward model on held-out pairs, and returns these with their scores; `probable` if its scores
 * are probabilities.
 */
export const inspectReward = async (
  pairs: readonly Preference[],
  score: AnswerScore,
  options: { readonly seed: number; readonly probable: boolean },
) => {
  const scored = await scoredPairs(pairs, score);
  return { inspection: inspectPairs(scored, options), pairs: inspectedPairs(scored, options) };
};

/**
 * Evaluates the implicit reward on held-out pairs that prefer a side, with baselines that use only length.
 */
export const evaluatePreferences = async (
  pairs: readonly Preference[],
  score: AnswerScore,
  seed: number,
): Promise<PreferenceEvaluation> => {
  const scored = (await scoredPairs(pairs, score)).filter(
    ({ verdict }) => verdict === 'a' || verdict === 'b',
  );
  const margins = scored.map(({ a, b, verdict }) =>
    verdict === 'a' ? a.score - b.score : b.score - a.score,
  );
  const hits = margins.map((margin) => (margin > 0 ? 1 : margin === 0 ? 0.5 : 0));
  const { baselines } = inspectPairs(scored, { seed });
  return {
    pairs: scored.length,
    accuracy: scored.length === 0 ? 0 : mean(hits),
    accuracyInterval: clusteredRateInterval(
      clustersOf(
        scored.map(({ promptId }) => promptId),
        hits,
      ),
      { seed },
    ),
    baselines,
    rewardMargin: scored.length === 0 ? 0 : mean(margins),
  };
};
