import {
  add,
  div,
  mul,
  neg,
  reshape,
  scalar,
  slice,
  softplus,
  sqrt,
  square,
  sub,
  sum,
} from '../../../tensor/index.ts';
import { objective } from '../../kernel/objective.ts';
import { binaryCrossEntropy, weightedSum } from '../math/expressions.ts';
import { pairWeights, sideOf } from '../math/pair-losses.ts';
import { shown } from './reward-models.ts';

/**
 * Bradley–Terry with goal-conditioned states (arXiv:2407.13887, section 3): −log σ(r_w − r_l) + λ·[−log σ(q⁺) −
 * log(1 − σ(q⁻))]. q⁺ is the cosine between the state in the middle of the chosen answer and that at its end, q⁻
 * to the end of the rejected one. Rows in threes: chosen, rejected, beginning of the chosen one. A tie counts
 * half for each side, and has no goal.
 */
export const goalContrast = ({ weight: contrast }: { readonly weight: number }) =>
  objective({
    id: `goalContrast(${contrast})`,
    needs: ['tokens', 'agreement', 'weight'],
    unit: 3,
    prepare: ({ weight, agreement }) => {
      const weights = pairWeights(weight, 3);
      return {
        weights,
        agreement,
        goals: weights.map((w, r) => contrast * w * Math.abs(2 * agreement[r] - 1)),
      };
    },
    loss: ({ tokens, weights, agreement, goals }, learner) => {
      const score = learner.score(tokens);
      const margin = sub(sideOf(score, 0, 3), sideOf(score, 1, 3));
      const states = learner.features(tokens);
      const [R, D] = states.type.shape;
      const stateOf = (side: number) =>
        reshape(slice(reshape(states, [R / 3, 3, D]), 1, side, side + 1), [R / 3, D]);
      const size = (side: number) => sqrt(add(sum(square(stateOf(side)), [1]), scalar(1e-12)));
      const cosine = (side: number) =>
        div(sum(mul(stateOf(2), stateOf(side)), [1]), mul(size(2), size(side)));
      const [near, far] = [cosine(0), cosine(1)];
      const pairShare = sideOf(weights, 0, 3);
      return {
        loss: add(
          weightedSum(pairShare, binaryCrossEntropy(sideOf(agreement, 0, 3), margin)),
          weightedSum(sideOf(goals, 0, 3), add(softplus(neg(near)), softplus(far))),
        ),
        metrics: { ...shown(pairShare, margin), 'goals/gap': weightedSum(pairShare, sub(near, far)) },
      };
    },
  });
