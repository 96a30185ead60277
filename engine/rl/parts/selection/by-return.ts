/** Weights and samples rows by what they earned. */
import { WhetstoneError } from '../../../common/errors.ts';
import type { ModelPort, PerRow, PerToken } from '../../kernel/columns.ts';
import { maskedCounts, maskedSums } from '../../kernel/rows.ts';
import { stage } from '../../kernel/stage.ts';
import { groupsOf } from '../math/groups.ts';
import { firstOf } from '../math/places.ts';

/** exp(value ⁄ α), each divided by the largest; finite values only. */
const tiltedWeights = (values_R: Float64Array, alpha: number): Float64Array => {
  if (values_R.some((value) => !Number.isFinite(value)))
    throw new WhetstoneError('numeric', 'A return to sample by is not a finite number.');
  const top = values_R.reduce((a, b) => Math.max(a, b), -Infinity);
  return values_R.map((value) => Math.exp((value - top) / alpha));
};

/**
 * Samples as many rows as there are, with replacement, in proportion to exp(value ⁄ α): one random number
 * for all (systematic sampling), so a row appears its expected number of times, rounded down or up.
 */
export const systematic = (weights_R: ArrayLike<number>, count: number, start: number): Uint32Array => {
  const weights = Array.from(weights_R);
  const total = weights.reduce((a, b) => a + b, 0);
  const from = new Uint32Array(count);
  for (let at = 0, r = 0, passed = weights[0] ?? 0; at < count; at++) {
    const place = ((at + start) / count) * total;
    while (passed <= place && r < weights.length - 1) passed += weights[++r];
    from[at] = r;
  }
  return from;
};

/**
 * Advantage-weighted sampling of stored answers (arXiv:2306.13085): each batch is resampled in proportion to
 * exp((reward − V(prompt)) ⁄ α), V by `critic`; any objective may follow.
 */
export const sampleByAdvantage = ({ alpha }: { readonly alpha: number }) =>
  stage({
    id: `sampleByAdvantage(${alpha})`,
    station: 'selection',
    needs: ['tokens', 'mask', 'reward/total', 'model/critic'],
    adds: [],
    run: async ({ tokens, mask, 'reward/total': rewards_R, 'model/critic': critic }, context) => {
      const worth_R = await promptValues(critic, tokens, mask);
      const weights = tiltedWeights(
        rewards_R.map((reward, r) => reward - worth_R[r]),
        alpha,
      );
      return {
        columns: {},
        from_R: systematic(weights, weights.length, context.random('sample by return').next()),
      };
    },
  });

/** Return-weighted sampling: the same with exp(reward ⁄ α), without a baseline. */
export const sampleByReturn = ({ alpha }: { readonly alpha: number }) =>
  stage({
    id: `sampleByReturn(${alpha})`,
    station: 'selection',
    needs: ['reward/total'],
    adds: [],
    run: async ({ 'reward/total': rewards_R }, context) => {
      const weights = tiltedWeights(rewards_R, alpha);
      return {
        columns: {},
        from_R: systematic(weights, weights.length, context.random('sample by return').next()),
      };
    },
  });

/** A critic's value of each row's prompt. */
export const promptValues = async (
  critic: ModelPort,
  tokens: PerToken<Int32Array>,
  mask: PerToken<Uint8Array>,
): Promise<PerRow> => {
  const first = firstOf(mask, new Float64Array(mask.offsets.length - 1).fill(1));
  return maskedSums(await critic.values(tokens), { ...mask, values: Uint8Array.from(first.values) });
};

/**
 * Weights rows so that with an average over tokens each prompt counts the same, whatever the length of its
 * answers (arXiv:2510.13786, prompt-level aggregation): w ⁄ Σ over the group of w × tokens.
 */
export const evenPrompts = stage({
  id: 'evenPrompts',
  station: 'selection',
  needs: ['groupId', 'weight', 'mask'],
  adds: ['weight'],
  run: async ({ groupId, weight, mask }) => {
    const tokens_R = maskedCounts(mask);
    const even = weight.slice();
    for (const rows of groupsOf(groupId)) {
      const total = rows.reduce((sum, r) => sum + weight[r] * tokens_R[r], 0);
      for (const r of rows) even[r] = total > 0 ? weight[r] / total : 0;
    }
    return { columns: { weight: even } };
  },
});
