import { objective } from '../../kernel/objective.ts';
import { type Average, averagingWeights } from '../math/averages.ts';
import { maskedDifference, weightedSum } from '../math/expressions.ts';
import { generators, type SampledKind } from './exact-divergence.ts';

/**
 * Mass-covering divergence from the model that wrote the stored rows (`row/fresh` 0), by its stored
 * log-probabilities: the mean of f(π ⁄ π_ref) over tokens drawn from π_ref (arXiv:2509.07430, DPH-F and
 * DPH-JS). No model of the reference is evaluated.
 */
export const rehearsalDivergence = ({
  kind,
  average = 'token',
}: {
  readonly kind: SampledKind;
  readonly average?: Average;
}) =>
  objective({
    id: `rehearsalDivergence(${kind}, ${average})`,
    needs: ['tokens', 'mask', 'behaviorLogp', 'row/fresh'],
    prepare: ({ mask, 'row/fresh': fresh }, limits) => ({
      weights: averagingWeights(
        mask,
        fresh.map((f) => 1 - f),
        average,
        limits,
      ),
    }),
    loss: ({ tokens, mask, behaviorLogp, weights }, learner) => {
      const divergence = generators[kind](maskedDifference(mask, learner.logp(tokens), behaviorLogp));
      const mean = weightedSum(weights, divergence);
      return { loss: mean, metrics: { 'kl/rehearsed': mean } };
    },
  });
