/** Reward models with several heads. */
import { stream } from '../../../random/random.ts';
import { type Expr, add, mul, reshape, scalar, slice, square, sub } from '../../../tensor/index.ts';
import type { RewardStack } from '../../kernel/reward-stack.ts';
import { objective } from '../../kernel/objective.ts';
import { weightedSum } from '../math/expressions.ts';
import { logisticLoss, pairWeights, sideOf } from '../math/pair-losses.ts';
import { attributeNames } from '../scorers/attributes.ts';
import { margins, shown } from './reward-models.ts';

/**
 * Weight of a prompt for a head: Poisson(1), the same in every epoch, so that each head has its own
 * bootstrap sample of the prompts.
 */
export const bootstrapWeight = (promptId: number, head: number): number => {
  const draw = stream(0, 'bootstrap of a reward head', promptId, head).next();
  let count = 0;
  for (let term = Math.exp(-1), below = term; draw > below && count < 12; below += term) term /= ++count;
  return count;
};

/** Output of label k of K for each row. */
export const label = (scores: Expr, k: number): Expr => {
  const [R, K = 1] = scores.type.shape;
  return K === 1 ? reshape(scores, [R]) : reshape(slice(scores, 1, k, k + 1), [R]);
};

/**
 * K heads, each a Bradley–Terry model of its own resampled prompts: their disagreement measures what the
 * labels leave open (after arXiv:2409.15360).
 */
export const ensembleEntropy = ({ heads }: { readonly heads: number }) =>
  objective({
    id: `ensembleEntropy(${heads})`,
    needs: ['tokens', 'promptId', 'pairId', 'chosen', 'agreement', 'weight'],
    unit: 2,
    prepare: ({ promptId, weight, agreement }) => {
      const pairShare = pairWeights(weight);
      return {
        weights: pairShare,
        agreement,
        ...Object.fromEntries(
          Array.from({ length: heads }, (_, k) => [
            `weights${k}`,
            pairShare.map((w, r) => (w * bootstrapWeight(promptId[r], k)) / heads),
          ]),
        ),
      } as Record<'weights' | 'agreement' | `weights${number}`, Float64Array>;
    },
    loss: (inputs, learner) => {
      const scores = learner.score(inputs.tokens);
      const yes = sideOf(inputs.agreement, 0);
      const headMargins = Array.from({ length: heads }, (_, k) => margins(label(scores, k)));
      const losses = headMargins.map((margin, k) =>
        weightedSum(sideOf(inputs[`weights${k}`], 0), logisticLoss()(margin, yes)),
      );
      return {
        loss: losses.reduce((sum, one) => add(sum, one)),
        metrics: shown(
          sideOf(inputs.weights, 0),
          mul(
            headMargins.reduce((sum, one) => add(sum, one)),
            scalar(1 / heads),
          ),
        ),
      };
    },
  });

/**
 * One head with a label for each attribute, fitted by least squares: the mean over rows and labels of (score
 * − target)² (arXiv:2402.18571, section 3.1).
 */
export const attributeError = (stack: RewardStack<'total'>) => {
  const names = attributeNames(stack);
  return objective({
    id: `attributeError(${names.length})`,
    needs: ['tokens', 'weight', ...names],
    prepare: ({ weight }) => {
      const rows = weight.reduce((a, b) => a + b, 0);
      return { weights: weight.map((x) => x / (rows * names.length)) };
    },
    loss: (inputs, learner) => {
      const scores = learner.score(inputs.tokens);
      return {
        loss: names
          .map((name, k) => weightedSum(inputs.weights, square(sub(label(scores, k), inputs[name]))))
          .reduce((sum, one) => add(sum, one)),
      };
    },
  });
};
