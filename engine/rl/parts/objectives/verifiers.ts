/** Verifiers: models that predict whether an answer, or a step of one, is right. */
import { objective } from '../../kernel/objective.ts';
import { maskedCounts } from '../../kernel/rows.ts';
import { binaryCrossEntropy, weightedSum } from '../math/expressions.ts';

/**
 * Outcome verifier: −[y·log σ(s) + (1 − y)·log σ(−s)] of each answer's score, averaged (arXiv:2110.14168,
 * section 4; arXiv:2305.20050, section 2.5).
 */
export const answerEntropy = objective({
  id: 'answerEntropy',
  needs: ['tokens', 'weight', 'reward/total'],
  prepare: ({ weight }) => {
    const rows = weight.reduce((a, b) => a + b, 0);
    return { weights: weight.map((x) => x / rows) };
  },
  loss: ({ tokens, weights, 'reward/total': right }, learner) => {
    const score = learner.score(tokens);
    return {
      loss: weightedSum(weights, binaryCrossEntropy(right, score)),
    };
  },
});

/**
 * Process verifier: the same at the end of each worked line, every line of the batch weighted equally
 * (arXiv:2305.20050, section 2.6).
 */
export const stepEntropy = objective({
  id: 'stepEntropy',
  needs: ['tokens', 'weight', 'stepEnd', 'stepRight'],
  prepare: ({ weight, stepEnd, stepRight }) => {
    const steps = maskedCounts(stepEnd).reduce((count, n, r) => count + n * weight[r], 0);
    const weights = new Float64Array(stepEnd.values.length);
    weight.forEach((x, r) => {
      for (let t = stepEnd.offsets[r]; t < stepEnd.offsets[r + 1]; t++)
        if (stepEnd.values[t]) weights[t] = x / steps;
    });
    return {
      weights: { ...stepEnd, values: weights },
      right: { ...stepRight, values: Float64Array.from(stepRight.values) },
    };
  },
  loss: ({ tokens, weights, right }, learner) => {
    const verdict = learner.verdicts(tokens);
    return {
      loss: weightedSum(weights, binaryCrossEntropy(right, verdict)),
    };
  },
});
