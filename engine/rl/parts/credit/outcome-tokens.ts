import type { PerToken } from '../../kernel/columns.ts';
import { stage } from '../../kernel/stage.ts';
import { groupsOf } from '../math/groups.ts';
import { correctness } from './accuracy.ts';

const sigmoid = (x: number): number => 1 / (1 + Math.exp(-x));

/** Outputs of another role's scoring head after each token: `credit/scores`. */
export const scoresBy = <const M extends string>(judge: M) =>
  stage({
    id: `scoresBy(${judge})`,
    station: 'credit',
    needs: ['tokens', `model/${judge}`],
    adds: ['credit/scores'],
    run: async (inputs) => {
      const { tokens, ...models } = inputs as { readonly tokens: PerToken<Int32Array> } & Record<
        string,
        { verdicts: (t: PerToken<Int32Array>) => Promise<PerToken> }
      >;
      const scores = await models[`model/${judge}`].verdicts(tokens);
      return { columns: { 'credit/scores': { ...scores, values: Float64Array.from(scores.values) } } };
    },
  });

/** The success rate of each group: its mean reward, clipped to 0–1. */
export const successRate = stage({
  id: 'successRate',
  station: 'credit',
  needs: ['groupId', 'reward/total'],
  adds: ['row/success'],
  run: async ({ groupId, 'reward/total': rewards_R }) => {
    const rate = new Float64Array(groupId.length);
    const right = correctness(rewards_R);
    for (const rows of groupsOf(groupId)) {
      const share = rows.reduce((sum, r) => sum + right[r], 0) / rows.length;
      for (const r of rows) rate[r] = share;
    }
    return { columns: { 'row/success': rate } };
  },
});

/**
 * Credit of OREAL (arXiv:2502.06781, section 3): right answers are imitated by tokens that the token reward
 * model finds good, ω⁺ = max(2σ(w) − 1, 0); tokens of wrong ones that it finds bad, ω⁻ = max(1 − 2σ(w), 0),
 * are penalized in proportion to 1 − p, p being the prompt's success rate, which makes the gradient agree with
 * that of best-of-n imitation. An answer is right if it is better than its group’s mean. `even` is the part of
 * each token's weight that does not wait for the model: 0 is the paper's.
 */
export const outcomeCredit = ({ penalty, even }: { readonly penalty: number; readonly even: number }) =>
  stage({
    id: `outcomeCredit(${penalty}, ${even})`,
    station: 'credit',
    needs: ['mask', 'credit/scores', 'reward/total', 'row/success'],
    adds: ['advantage'],
    run: async ({ mask, 'credit/scores': scores, 'reward/total': rewards_R, 'row/success': success_R }) => {
      const values = new Float64Array(mask.values.length);
      const right = correctness(rewards_R);
      for (let r = 0; r < rewards_R.length; r++) {
        const isRight = right[r] > success_R[r];
        for (let at = mask.offsets[r]; at < mask.offsets[r + 1]; at++) {
          if (!mask.values[at]) continue;
          const good = 2 * sigmoid(scores.values[at]) - 1;
          const weight = even + (1 - even) * Math.max(isRight ? good : -good, 0);
          values[at] = isRight ? weight : -penalty * (1 - success_R[r]) * weight;
        }
      }
      return { columns: { advantage: { ...mask, values } } };
    },
  });
