import { exp, maximum, minimum, mul, neg, scalar, stopGradient, sub } from '../../../tensor/index.ts';
import { objective } from '../../kernel/objective.ts';
import { maskedSums } from '../../kernel/rows.ts';
import { answerLogp, weightedSum } from '../math/expressions.ts';

/**
 * Advantage-weighted likelihood of whole answers with an importance weight: −A · clip(π ⁄ π_ref, 1 − ε, 1 +
 * ε) · log π, the weight without gradient (arXiv:2305.14718, the A-LoL gradient with clipped weights); the
 * mean over rows of sums over tokens.
 */
export const weighedAnswers = ({ clip }: { readonly clip: number }) =>
  objective({
    id: `weighedAnswers(${clip})`,
    needs: ['tokens', 'mask', 'weight', 'row/advantage', 'logp/initial'],
    prepare: ({ mask, weight, 'row/advantage': advantage, 'logp/initial': reference }) => {
      const rows = Math.max(
        weight.reduce((a, b) => a + b, 0),
        Number.MIN_VALUE,
      );
      return {
        weights: weight.map((x, r) => (x * advantage[r]) / rows),
        before: maskedSums(reference, mask),
      };
    },
    loss: ({ tokens, mask, weights, before }, learner) => {
      const own = answerLogp(learner, tokens, mask);
      const ratio = stopGradient(
        minimum(maximum(exp(minimum(sub(own, before), scalar(20))), scalar(1 - clip)), scalar(1 + clip)),
      );
      return { loss: neg(weightedSum(weights, mul(ratio, own))) };
    },
  });
