import { mul, scalar, sub } from '../../../tensor/index.ts';
import { objective } from '../../kernel/objective.ts';
import { maskedSums } from '../../kernel/rows.ts';
import { answerLogp } from '../math/expressions.ts';
import { comparison, logisticLoss, pairWeights, sideOf } from '../math/pair-losses.ts';

/**
 * Step-level preference with advantages (Step-APO, arXiv:2409.08642, section 3.2): −log σ(β·(log-ratio of the better
 * step − that of the worse one) − scale·(A_better − A_worse)), A = `row/gain`. A pair that differs more must be
 * told apart by more; `scale` 0 is DPO on steps.
 */
export const advantageMargin = ({ beta, scale }: { readonly beta: number; readonly scale: number }) =>
  objective({
    id: `advantageMargin(${beta}, ${scale})`,
    needs: ['tokens', 'mask', 'pairId', 'chosen', 'agreement', 'weight', 'logp/initial', 'row/gain'],
    unit: 2,
    prepare: ({ mask, weight, agreement, 'logp/initial': reference, 'row/gain': gain }) => ({
      weights: pairWeights(weight),
      agreement,
      shift: maskedSums(reference, mask).map((before, r) => beta * before + scale * gain[r]),
    }),
    loss: ({ tokens, mask, shift, weights, agreement }, learner) => {
      const score_R = sub(mul(scalar(beta), answerLogp(learner, tokens, mask)), shift);
      return comparison(sideOf(score_R, 0), sideOf(score_R, 1), {
        loss: logisticLoss(),
        agreement: sideOf(agreement, 0),
        weights: sideOf(weights, 0),
      });
    },
  });
