/** Credit for the steps of an answer, from a model that was taught to prefer whole answers. */
import type { ModelPort, PerToken } from '../kernel/columns.ts';
import { rowOf } from '../kernel/rows.ts';
import { stage } from '../kernel/stage.ts';
import { DEVIATION_EPSILON } from './credit.ts';

/**
 * What a step is: every trained token, a line, or a turn (a stretch of trained tokens that the world does not
 * interrupt).
 */
export type Step = 'token' | 'line' | 'turn';

/**
 * First and last place of each step of a row of trained tokens; a line ends with the token that holds its
 * break.
 */
export const stepsOf = (
  mask_T: Uint8Array,
  breaks: (t: number) => boolean,
  step: Step,
): (readonly [first: number, last: number])[] => {
  const steps: [number, number][] = [];
  let open = false;
  mask_T.forEach((trained, t) => {
    if (trained && open) steps[steps.length - 1][1] = t;
    else if (trained) steps.push([t, t]);
    open = trained === 1 && step !== 'token' && !(step === 'line' && breaks(t));
  });
  return steps;
};

/**
 * Adds to each token's advantage that of its step: β · Σ log (judge ⁄ initial) over the step's tokens, less
 * its mean over the steps of the batch, divided by their deviation (arXiv:2509.19199: the implicit process
 * reward of a model trained by DPO on whole answers, normalized apart and added with a weight).
 */
export const stepCredit = <const M extends string>({
  by,
  beta,
  weight,
  step,
}: {
  readonly by: M;
  readonly beta: number;
  readonly weight: number;
  readonly step: Step;
}) =>
  stage({
    id: `stepCredit(${by}, ${step})`,
    needs: ['tokens', 'mask', 'advantage', 'logp/initial', `model/${by}`],
    adds: ['advantage'],
    run: async (inputs, loop) => {
      const {
        tokens,
        mask,
        advantage,
        'logp/initial': initial,
        ...models
      } = inputs as {
        readonly tokens: PerToken<Int32Array>;
        readonly mask: PerToken<Uint8Array>;
        readonly advantage: PerToken<Float64Array>;
        readonly 'logp/initial': PerToken;
      } & Record<string, ModelPort>;
      const judged = await models[`model/${by}`].logp(tokens, mask);
      const steps = Array.from({ length: mask.offsets.length - 1 }, (_, r) => {
        const ids = rowOf(tokens, r);
        const start = mask.offsets[r];
        return stepsOf(
          rowOf(mask, r),
          (t) => step === 'line' && loop.text.decode([ids[t]]).includes('\n'),
          step,
        ).map(([first, last]) => [start + first, start + last] as const);
      }).flat();
      const rewards = steps.map(([first, last]) => {
        let sum = 0;
        for (let at = first; at <= last; at++) sum += beta * (judged.values[at] - initial.values[at]);
        return sum;
      });
      const mean = rewards.reduce((a, b) => a + b, 0) / Math.max(rewards.length, 1);
      const sd =
        Math.sqrt(rewards.reduce((a, r) => a + (r - mean) ** 2, 0) / Math.max(rewards.length, 1)) +
        DEVIATION_EPSILON;
      const values = advantage.values.slice();
      steps.forEach(([first, last], s) => {
        for (let at = first; at <= last; at++) values[at] += (weight * (rewards[s] - mean)) / sd;
      });
      return { columns: { advantage: { ...advantage, values } } };
    },
  });
