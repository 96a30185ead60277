/** The influence of tokens on the right answers of their group, through hidden states. */
import { stage } from '../../kernel/stage.ts';
import { groupsOf } from '../math/groups.ts';
import { answerPlaces } from '../math/places.ts';

/** Rewards above it are of right answers. */
const RIGHT = 0.5;

interface Features {
  /** T × D hidden states, and T × K log-probabilities of the tokens `ids`. */
  readonly states: { readonly values: Float32Array; readonly width: number };
  readonly logp: { readonly values: Float32Array; readonly width: number };
  /** The place of each token in `ids`. */
  readonly id_T: Int32Array;
}

/** The error of a token's prediction over `ids`: one-hot minus probabilities. */
const errorAt = ({ logp: { values, width }, id_T }: Features, at: number): Float64Array =>
  Float64Array.from({ length: width }, (_, k) => Number(k === id_T[at]) - Math.exp(values[at * width + k]));

/**
 * Influence of each place on the likelihood of `right` places, to first order in the output matrix: gᵗ·M·h
 * with M = Σ_right g·hᵗ, which is the product of their gradients with respect to that matrix.
 */
export const influences = (
  features: Features,
  right: readonly number[],
  places: readonly number[],
): Float64Array => {
  const { values: states, width: D } = features.states;
  const K = features.logp.width;
  const M = new Float64Array(K * D);
  for (const at of right) {
    const error = errorAt(features, at);
    for (let k = 0; k < K; k++) for (let d = 0; d < D; d++) M[k * D + d] += error[k] * states[at * D + d];
  }
  return Float64Array.from(places, (at) => {
    const error = errorAt(features, at);
    let sum = 0;
    for (let k = 0; k < K; k++)
      for (let d = 0; d < D; d++) sum += error[k] * M[k * D + d] * states[at * D + d];
    return sum;
  });
};

/**
 * Token hidden reward (arXiv:2510.03669): a token's influence on the right answers of its group, with the sign
 * of its advantage. Advantages of tokens that raise these answers' likelihood are multiplied by 1 + `slider`,
 * those of others by 1 − `slider`: above 0 this exploits, below 0 it explores. Tokens whose influence is at most
 * `least` × the largest of the group get no credit. Only tokens sampled in the batch count as alternatives.
 */
export const hiddenReward = ({ slider, least }: { readonly slider: number; readonly least: number }) =>
  stage({
    id: `hiddenReward(${slider}, ${least})`,
    station: 'credit',
    needs: ['tokens', 'mask', 'groupId', 'reward/total', 'advantage', 'model/policy'],
    adds: ['advantage', 'credit/hidden'],
    run: async ({ tokens, mask, groupId, 'reward/total': rewards_R, advantage, 'model/policy': policy }) => {
      const places_R = answerPlaces(mask);
      const ids = [...new Set(places_R.flat().map((at) => tokens.values[at]))].sort((a, b) => a - b);
      const known = new Map(ids.map((id, k) => [id, k]));
      const features: Features = {
        states: await policy.states(tokens),
        logp: await policy.logpOf(tokens, ids),
        id_T: Int32Array.from(tokens.values, (id) => known.get(id) ?? -1),
      };
      const hidden = new Float64Array(advantage.values.length);
      const values = advantage.values.slice();
      for (const rows of groupsOf(groupId)) {
        const places = rows.flatMap((r) => places_R[r]);
        const right = rows.filter((r) => rewards_R[r] > RIGHT).flatMap((r) => places_R[r]);
        influences(features, right, places).forEach((influence, i) => {
          hidden[places[i]] = Math.sign(values[places[i]]) * influence;
        });
        const most = places.reduce((top, at) => Math.max(top, Math.abs(hidden[at])), 0);
        if (most === 0) continue;
        for (const at of places)
          values[at] *= Math.abs(hidden[at]) > least * most ? 1 + Math.sign(hidden[at]) * slider : 0;
      }
      const column = (of: Float64Array) => ({ ...advantage, values: of });
      return { columns: { advantage: column(values), 'credit/hidden': column(hidden) } };
    },
  });
