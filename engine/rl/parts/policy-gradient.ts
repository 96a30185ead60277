/**
 * Credit and losses of policy gradients beside the group's own (`credit.ts`) and the clipped one
 * (`objectives.ts`).
 */
import {
  cast,
  less,
  maximum,
  minimum,
  mul,
  neg,
  scalar,
  square,
  stopGradient,
  sub,
} from '../../tensor/index.ts';
import type { PerToken } from '../kernel/columns.ts';
import { objective } from '../kernel/objective.ts';
import { broadcast, maskedSums, rowOf } from '../kernel/rows.ts';
import { stage } from '../kernel/stage.ts';
import { averagedAndShared, averagingWeights, type Average } from './averages.ts';
import { centered } from './credit.ts';
import { dot } from './sums.ts';

/** Values of a critic at each answer token: of the state that the token was written in. */
export const valuesOf = <const M extends string>(critic: M) =>
  stage({
    id: `valuesOf(${critic})`,
    needs: ['tokens', `model/${critic}`],
    adds: ['values'],
    run: async (inputs) => {
      const { tokens, ...models } = inputs as { readonly tokens: PerToken<Int32Array> } & Record<
        string,
        { values: (t: PerToken<Int32Array>) => Promise<PerToken> }
      >;
      return { columns: { values: await models[`model/${critic}`].values(tokens) } };
    },
  });

/**
 * Generalized advantage estimates of one answer (arXiv:1506.02438, eq. 16): δ_t = r_t + γ·V_{t+1} − V_t, A_t
 * = Σ (γλ)^l δ_{t+l}. The state after the last token is terminal and worth 0. `rewards_T` and `values_T` have
 * an entry a token.
 */
export const generalizedAdvantages = (
  rewards_T: ArrayLike<number>,
  values_T: ArrayLike<number>,
  gamma: number,
  lambda: number,
): Float64Array => {
  const advantages = new Float64Array(values_T.length);
  for (let t = values_T.length - 1, next = 0, later = 0; t >= 0; t--) {
    later = rewards_T[t] + gamma * next - values_T[t] + gamma * lambda * later;
    advantages[t] = later;
    next = values_T[t];
  }
  return advantages;
};

/**
 * What each token earns: its part of the reward (the last one all of it, where no scorer tells more), with
 * each −weight·(log π − log π_ref) as it was written (arXiv:1909.08593, eq. 2), so that the divergence is
 * part of what is earned and not a term of the loss. Weight 0 does not ask the reference.
 */
export const tokenRewards = ({ klWeight }: { readonly klWeight: number }) => {
  const full = stage({
    id: `tokenRewards(${klWeight})`,
    needs: ['mask', 'credit/earned', 'behaviorLogp', 'logp/initial'],
    adds: ['credit/rewards'],
    run: async ({ mask, behaviorLogp, 'credit/earned': earned, ...rest }) => {
      const values = earned.values.slice();
      if (klWeight > 0)
        mask.values.forEach((m, at) => {
          if (m) values[at] -= klWeight * (behaviorLogp.values[at] - rest['logp/initial'].values[at]);
        });
      return { columns: { 'credit/rewards': { axis: 'T', values, offsets: mask.offsets } } };
    },
  });
  return klWeight > 0 ? full : { ...full, needs: full.needs.filter((need) => need !== 'logp/initial') };
};

/** Where the answer's tokens lie in the columns, row by row. */
const answerPlaces = (mask: PerToken<Uint8Array>): number[][] =>
  Array.from({ length: mask.offsets.length - 1 }, (_, r) =>
    [...rowOf(mask, r).keys()].map((t) => mask.offsets[r] + t).filter((at) => mask.values[at] === 1),
  );

/** Tokens credited by GAE on a critic's values; the critic's target is advantage + value. */
export const gae = ({ gamma, lambda }: { readonly gamma: number; readonly lambda: number }) =>
  stage({
    id: `gae(${gamma}, ${lambda})`,
    needs: ['mask', 'credit/rewards', 'values'],
    adds: ['advantage', 'returns'],
    run: async ({ mask, values, 'credit/rewards': rewards }) => {
      const advantage = new Float64Array(mask.values.length);
      const returns = new Float64Array(mask.values.length);
      for (const places of answerPlaces(mask)) {
        const own = places.map((at) => values.values[at]);
        generalizedAdvantages(
          places.map((at) => rewards.values[at]),
          own,
          gamma,
          lambda,
        ).forEach((a, i) => {
          advantage[places[i]] = a;
          returns[places[i]] = a + own[i];
        });
      }
      const column = (of: Float64Array) => ({ axis: 'T' as const, values: of, offsets: mask.offsets });
      return { columns: { advantage: column(advantage), returns: column(returns) } };
    },
  });

/** Each token credited with what was earned from it on: Σ_{k ≥ t} r_k. */
export const returnsToGo = stage({
  id: 'returnsToGo',
  needs: ['mask', 'credit/rewards'],
  adds: ['advantage'],
  run: async ({ mask, 'credit/rewards': rewards }) => {
    const values = new Float64Array(mask.values.length);
    for (const places of answerPlaces(mask))
      places.reduceRight((later, at) => (values[at] = later + rewards.values[at]), 0);
    return { columns: { advantage: { axis: 'T', values, offsets: mask.offsets } } };
  },
});

/**
 * What an answer is compared with, of all answers of the batch: their mean, the mean of the others (which
 * biases nothing), or 0.
 */
export type Baseline = 'mean' | 'others' | 'none';

/** Each answer's earnings less a baseline, the same on each of its tokens (Williams 1992). */
export const againstBatch = ({ baseline }: { readonly baseline: Baseline }) =>
  stage({
    id: `againstBatch(${baseline})`,
    needs: ['weight', 'mask', 'credit/rewards'],
    adds: ['advantage'],
    run: async ({ weight, mask, 'credit/rewards': rewards }) => {
      const earned_R = maskedSums(rewards, mask);
      const batch_R = new Float64Array(earned_R.length);
      const credits: { readonly [B in Baseline]: () => Float64Array } = {
        mean: () => centered(earned_R, batch_R, weight, 'none'),
        others: () => againstOthers(earned_R, batch_R, weight),
        none: () => earned_R,
      };
      return { columns: { advantage: broadcast(credits[baseline](), mask) } };
    },
  });

/**
 * −Σ w·A·log π: the score function's gradient, without ratios (Williams 1992). Exact for answers that the
 * policy has just written.
 */
export const scoreFunction = ({ average = 'answer' }: { readonly average?: Average } = {}) =>
  objective({
    id: `scoreFunction(${average})`,
    needs: ['tokens', 'mask', 'weight', 'advantage'],
    prepare: ({ mask, weight }, limits) => averagedAndShared(mask, weight, average, limits),
    loss: ({ tokens, advantage, w, each }, learner) => ({
      loss: neg(dot(w, mul(advantage, learner.logp(tokens)))),
      metrics: { entropy: dot(each, stopGradient(learner.entropy(tokens))) },
    }),
  });

/**
 * Advantages of a batch with mean 0 and deviation 1 over its answer tokens; `on: false` leaves them as they
 * are.
 */
export const whiten = ({ on }: { readonly on: boolean }) =>
  stage({
    id: on ? 'whiten' : 'no whitening',
    needs: ['advantage', 'mask'],
    adds: ['advantage'],
    run: async ({ advantage, mask }) => {
      if (!on) return { columns: { advantage } };
      const { values } = advantage;
      let [count, sum, squares] = [0, 0, 0];
      mask.values.forEach((m, at) => {
        if (m) {
          count++;
          sum += values[at];
          squares += values[at] ** 2;
        }
      });
      const mean = sum / Math.max(count, 1);
      const sd = Math.sqrt(Math.max(squares / Math.max(count, 1) - mean * mean, 0)) + 1e-8;
      return {
        columns: {
          advantage: { ...advantage, values: values.map((a, at) => (mask.values[at] ? (a - mean) / sd : 0)) },
        },
      };
    },
  });

/**
 * Regression of the critic on its targets, the value kept within `clip` of what it was where that makes the
 * loss larger (arXiv:1707.06347's code; arXiv:2005.12729): ½·mean max((V − R)², (V_clipped − R)²).
 */
export const clippedValue = ({ clip }: { readonly clip: number }) =>
  objective({
    id: `clippedValue(${clip})`,
    needs: ['tokens', 'mask', 'weight', 'values', 'returns'],
    prepare: ({ mask, weight }, limits) => ({ w: averagingWeights(mask, weight, 'token', limits) }),
    loss: ({ tokens, values, returns, w }, learner) => {
      const now = learner.values(tokens);
      const kept = minimum(maximum(now, sub(values, scalar(clip))), sub(values, scalar(-clip)));
      const [free, bound] = [square(sub(now, returns)), square(sub(kept, returns))];
      return {
        loss: mul(dot(w, maximum(free, bound)), scalar(0.5)),
        metrics: { 'value/error': dot(w, free), 'value/clipped': dot(w, cast(less(free, bound), 'float32')) },
      };
    },
  });

/**
 * Each answer against the mean of the others on its prompt: r_i − mean of r_j, j ≠ i (arXiv:2402.14740, the
 * RLOO estimator). A group of one is credited with 0.
 */
export const leaveOneOut = stage({
  id: 'leaveOneOut',
  needs: ['groupId', 'weight', 'mask', 'credit/rewards'],
  adds: ['advantage'],
  run: async ({ groupId, weight, mask, 'credit/rewards': rewards }) => ({
    columns: { advantage: broadcast(againstOthers(maskedSums(rewards, mask), groupId, weight), mask) },
  }),
});

/** r_i − (Σ_j w_j·r_j − w_i·r_i) ⁄ (Σ_j w_j − w_i) within each group. */
export const againstOthers = (
  rewards_R: Float64Array,
  groupId_R: Float64Array,
  weight_R: Float64Array,
): Float64Array => {
  const sums = new Map<number, { weight: number; reward: number }>();
  groupId_R.forEach((group, r) => {
    const sum = sums.get(group) ?? { weight: 0, reward: 0 };
    sums.set(group, { weight: sum.weight + weight_R[r], reward: sum.reward + weight_R[r] * rewards_R[r] });
  });
  return rewards_R.map((reward, r) => {
    const { weight, reward: sum } = sums.get(groupId_R[r]) ?? { weight: 0, reward: 0 };
    const others = weight - weight_R[r];
    return others > 1e-12 ? reward - (sum - weight_R[r] * reward) / others : 0;
  });
};
