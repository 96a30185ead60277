import type { PerToken } from '../../kernel/columns.ts';
import { stage } from '../../kernel/stage.ts';
import { answerPlaces } from '../math/places.ts';

/** Values of a critic at each answer token: of the state before the token. */
export const valuesOf = <const M extends string>(critic: M) =>
  stage({
    id: `valuesOf(${critic})`,
    station: 'credit',
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
 * = Σ (γλ)^l δ_{t+l}. The state after the last token is terminal with value 0. `rewards_T` and `values_T`
 * have one entry per token.
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

/** Token credit by GAE on a critic's values; the critic's target is advantage + value. */
export const gae = ({ gamma, lambda }: { readonly gamma: number; readonly lambda: number }) =>
  stage({
    id: `gae(${gamma}, ${lambda})`,
    station: 'credit',
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
