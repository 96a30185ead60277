import type { ModelPort, PerToken } from '../../kernel/columns.ts';
import { stage } from '../../kernel/stage.ts';
import { stepPlaces } from '../math/steps.ts';

/**
 * Splits each answer's reward among its steps (SPA-RL, arXiv:2505.20732, eq. 3 and 5): an estimator's output at
 * the end of a step is the step's contribution; what the contributions of an answer lack of its reward is added
 * in equal parts, so that they sum to it exactly. The contribution of a step is earned by its last token;
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
        const rest = (rewards_R[r] - sum) / steps.length;
        for (const { last } of steps) values[last] += share * (outputs.values[last] + rest);
      });
      return { columns: { 'credit/earned': { ...earned, values } } };
    },
  });
