import type { ModelPort, PerToken } from '../../kernel/columns.ts';
import { stage } from '../../kernel/stage.ts';
import { stepPlaces } from '../math/steps.ts';

/**
 * Splits each answer's reward among its steps (SPA-RL, arXiv:2505.20732, eq. 3 and 5): an estimator's output at
 * the end of a step is the step's contribution, earned by its last token. The paper stops there, so that an
 * estimator that errs changes what is learned. Here the last step also earns what the contributions lack of the
 * reward: the return from a step on is then the reward less the contributions before it, which its actions do not
 * change, so that the policy's gradient is unbiased whatever the estimator says, and PPO's if it says nothing.
 * `share` of the reward is split, the rest stays where it was earned. Answers without steps keep theirs.
 */
export const splitReward = <const M extends string>({
  by,
  share,
}: {
  readonly by: M;
  readonly share: number;
}) =>
  stage({
    id: `splitReward(${by}, ${share})`,
    station: 'credit',
    needs: ['tokens', 'mask', 'stepEnd', 'reward/total', 'credit/earned', `model/${by}`],
    adds: ['credit/earned'],
    run: async (inputs) => {
      const {
        tokens,
        mask,
        stepEnd,
        'reward/total': rewards_R,
        'credit/earned': earned,
        ...models
      } = inputs as {
        readonly tokens: PerToken<Int32Array>;
        readonly mask: PerToken<Uint8Array>;
        readonly stepEnd: PerToken<Uint8Array>;
        readonly 'reward/total': Float64Array;
        readonly 'credit/earned': PerToken<Float64Array>;
      } & Record<string, ModelPort>;
      const outputs = await models[`model/${by}`].verdicts(tokens);
      const values = earned.values.slice();
      stepPlaces(mask, stepEnd).forEach((steps, r) => {
        if (steps.length === 0) return;
        for (let at = mask.offsets[r]; at < mask.offsets[r + 1]; at++) values[at] *= 1 - share;
        const sum = steps.reduce((all, { last }) => all + outputs.values[last], 0);
        for (const { last } of steps) values[last] += share * outputs.values[last];
        values[steps[steps.length - 1].last] += share * (rewards_R[r] - sum);
      });
      return { columns: { 'credit/earned': { ...earned, values } } };
    },
  });
