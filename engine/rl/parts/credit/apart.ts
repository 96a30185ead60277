/** Credit by each scorer of the run apart. */
import type { ModelPort, PerRow, PerToken } from '../../kernel/columns.ts';
import type { RewardStack } from '../../kernel/reward-stack.ts';
import { broadcast } from '../../kernel/rows.ts';
import { stage } from '../../kernel/stage.ts';
import { attributeNames } from '../scorers/attributes.ts';

/**
 * (a − mean) ÷ deviation over the batch; all 0 where the rewards are equal, since only the critic's error is
 * left there.
 */
const normalized = (advantages_R: Float64Array, rewards_R: PerRow): Float64Array => {
  if (rewards_R.every((reward) => reward === rewards_R[0])) return new Float64Array(advantages_R.length);
  const mean = advantages_R.reduce((sum, a) => sum + a, 0) / advantages_R.length;
  const squares = advantages_R.reduce((sum, a) => sum + (a - mean) ** 2, 0);
  const deviation = Math.sqrt(squares / advantages_R.length) + 1e-8;
  return advantages_R.map((a) => (a - mean) / deviation);
};

/**
 * An answer's advantage under several rewards (SLIM, arXiv:2402.00823, section 4): for each scorer its reward −
 * the critic's value of the prompt, normalized over the batch, then added: by the sign of its weight (`alike`)
 * or by its weight. Scorers of weight 0 do not count. The critic has one output per scorer.
 */
export const advantagesApart = <const M extends string>(
  stack: RewardStack<'total'>,
  { by, counts }: { readonly by: M; readonly counts: 'alike' | 'weight' },
) => {
  const names = attributeNames(stack);
  const weights = names.map((_, k) => stack.weights?.[k] ?? 1);
  return stage({
    id: `advantagesApart(${names.length}, ${by}, ${counts})`,
    station: 'credit',
    needs: ['prompt', 'mask', ...names, `model/${by}`],
    adds: ['advantage'],
    run: async (inputs) => {
      const { prompt, mask, ...rest } = inputs as unknown as {
        readonly prompt: PerToken<Int32Array>;
        readonly mask: PerToken<Uint8Array>;
      } & Record<string, ModelPort & PerRow>;
      const values_RK = await rest[`model/${by}`].scores(prompt);
      const total = new Float64Array(mask.offsets.length - 1);
      names.forEach((name, k) => {
        const rewards_R = rest[name];
        const own = rewards_R.map((reward, r) => reward - values_RK[r * names.length + k]);
        const weight = counts === 'alike' ? Math.sign(weights[k]) : weights[k];
        normalized(own, rewards_R).forEach((a, r) => {
          total[r] += weight * a;
        });
      });
      return { columns: { advantage: broadcast(total, mask) } };
    },
  });
};
