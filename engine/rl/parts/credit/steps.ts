/** Credit for the steps of an answer. */
import type { ModelPort, PerToken } from '../../kernel/columns.ts';
import { rowOf } from '../../kernel/rows.ts';
import { stage } from '../../kernel/stage.ts';
import { type Step, stepPlaces, stepsOf } from '../math/steps.ts';
import { correctness } from './accuracy.ts';
import { DEVIATION_EPSILON } from './center-by-group.ts';
import { generalizedAdvantages } from './gae.ts';

/** Marks the last token of each step of an answer. */
export const stepEnds = ({ step }: { readonly step: Step }) =>
  stage({
    id: `stepEnds(${step})`,
    station: 'credit',
    needs: ['tokens', 'mask'],
    adds: ['stepEnd'],
    run: async ({ tokens, mask }, { text }) => {
      const values = new Uint8Array(mask.values.length);
      for (let r = 0; r < mask.offsets.length - 1; r++) {
        const ids = rowOf(tokens, r);
        for (const [, last] of stepsOf(
          rowOf(mask, r),
          (t) => step === 'line' && text.decode([ids[t]]).includes('\n'),
          step,
        ))
          values[mask.offsets[r] + last] = 1;
      }
      return { columns: { stepEnd: { ...mask, values } } };
    },
  });

const probability = (logit: number): number => 1 / (1 + Math.exp(-logit));

/**
 * A step’s advantage by a critic’s logits, at the step’s last token: V(prefix after it) − V(prefix before
 * it), with the outcome after the last step (arXiv:2412.18279). That trusts the critic in everything but the
 * last step; `lambda` above 0 adds the later steps’ advantages, each weighted by one more λ, and 1 gives
 * outcome − V(prefix before it): all have the same mean if the critic is right.
 */
export const stepAdvantages = ({ lambda }: { readonly lambda: number }) =>
  stage({
    id: `stepAdvantages(${lambda})`,
    station: 'credit',
    needs: ['mask', 'stepEnd', 'values', 'reward/total'],
    adds: ['credit/step'],
    run: async ({ mask, stepEnd, values, 'reward/total': rewards_R }) => {
      const credit = new Float64Array(mask.values.length);
      const right = correctness(rewards_R);
      stepPlaces(mask, stepEnd).forEach((steps, r) => {
        const earned = steps.map((_, s) => (s === steps.length - 1 ? right[r] : 0));
        const value = steps.map(({ first }) => probability(values.values[first]));
        generalizedAdvantages(earned, value, 1, lambda).forEach((advantage, s) => {
          credit[steps[s].last] = advantage;
        });
      });
      return { columns: { 'credit/step': { axis: 'T', values: credit, offsets: mask.offsets } } };
    },
  });

/**
 * Adds to each token's advantage that of its step: β · Σ log (judge ⁄ initial) over the step's tokens, minus
 * its mean over the steps of the batch, divided by their deviation (arXiv:2509.19199: the implicit process
 * reward of a model trained by DPO on whole answers, normalized separately and added with a weight).
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
    station: 'credit',
    needs: ['tokens', 'mask', 'advantage', 'logp/initial', `model/${by}`],
    adds: ['advantage'],
    run: async (inputs, context) => {
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
          (t) => step === 'line' && context.text.decode([ids[t]]).includes('\n'),
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
