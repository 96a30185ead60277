import { stage } from '../../kernel/stage.ts';

/**
 * Soft return at each token of a stored answer: R − β·Σ_{i ≥ t} log π/π_ref, the target of a soft value
 * (arXiv:2412.16145, the value loss).
 */
export const softReturns = ({ beta }: { readonly beta: number }) =>
  stage({
    id: `softReturns(${beta})`,
    station: 'credit',
    needs: ['mask', 'reward/total', 'logp/policy', 'logp/initial'],
    adds: ['returns'],
    run: async ({ mask, 'reward/total': rewards_R, 'logp/policy': policy, 'logp/initial': reference }) => {
      const values = new Float64Array(mask.values.length);
      rewards_R.forEach((reward, r) => {
        for (let at = mask.offsets[r + 1] - 1, later = reward; at >= mask.offsets[r]; at--) {
          if (!mask.values[at]) continue;
          later -= beta * (policy.values[at] - reference.values[at]);
          values[at] = later;
        }
      });
      return { columns: { returns: { axis: 'T', values, offsets: mask.offsets } } };
    },
  });
