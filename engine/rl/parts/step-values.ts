/**
 * Values of an answer's steps: how often the policy gets right from there on, what a step changes of that,
 * and a policy fitted to it.
 */
import {
  add,
  cast,
  cumsum,
  gather,
  iota,
  mul,
  reshape,
  scalar,
  sigmoid,
  softplus,
  square,
  stopGradient,
  sub,
} from '../../tensor/index.ts';
import type { PerToken } from '../kernel/columns.ts';
import { objective } from '../kernel/objective.ts';
import { broadcast, rowOf } from '../kernel/rows.ts';
import { stage } from '../kernel/stage.ts';
import { averagingWeights } from './averages.ts';
import { generalizedAdvantages } from './policy-gradient.ts';
import { stepsOf, type Step } from './step-credit.ts';
import { dot } from './sums.ts';

/** Marks the last token of each step of an answer. */
export const stepEnds = ({ step }: { readonly step: Step }) =>
  stage({
    id: `stepEnds(${step})`,
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

/** Where in the columns each step begins and ends, row by row. */
const stepPlaces = (
  mask: PerToken<Uint8Array>,
  stepEnd: PerToken<Uint8Array>,
): { readonly first: number; readonly last: number }[][] =>
  Array.from({ length: mask.offsets.length - 1 }, (_, r) => {
    const steps: { first: number; last: number }[] = [];
    for (let at = mask.offsets[r], first = -1; at < mask.offsets[r + 1]; at++) {
      if (mask.values[at] && first < 0) first = at;
      if (!stepEnd.values[at] || first < 0) continue;
      steps.push({ first, last: at });
      first = -1;
    }
    return steps;
  });

/** Rewards as how right an answer is: held between 0 and 1. */
const rightness = (rewards_R: Float64Array): Float64Array =>
  rewards_R.map((reward) => Math.min(1, Math.max(0, reward)));

/**
 * A critic’s logit at the beginning of each step learns how often answers that go on from there are right:
 * cross-entropy with what came out, every step of the batch counting alike. Each answer is one rollout from
 * each of its prefixes (arXiv:2412.18279 averages several: the same in expectation).
 */
export const prefixValue = objective({
  id: 'prefixValue',
  needs: ['tokens', 'mask', 'weight', 'stepEnd', 'reward/total'],
  prepare: ({ mask, weight, stepEnd, 'reward/total': reward }, limits) => {
    const begins = { ...mask, values: new Uint8Array(mask.values.length) };
    for (const { first } of stepPlaces(mask, stepEnd).flat()) begins.values[first] = 1;
    return {
      w: averagingWeights(begins, weight, 'token', limits),
      right: broadcast(rightness(reward), begins),
    };
  },
  loss: ({ tokens, w, right }, learner) => {
    const logit = learner.values(tokens);
    return {
      loss: dot(w, sub(softplus(logit), mul(right, logit))),
      metrics: { 'value/error': dot(w, square(sub(sigmoid(stopGradient(logit)), right))) },
    };
  },
});

const probability = (logit: number): number => 1 / (1 + Math.exp(-logit));

/**
 * A step’s advantage by a critic’s logits, at the step’s last token: V(prefix after it) − V(prefix before
 * it), after the last step what came out (arXiv:2412.18279). That trusts the critic in everything but the
 * last step; `lambda` above 0 counts the later steps’ advantages in, each by λ more, and 1 is what came out −
 * V(prefix before it): all have the same mean where the critic is right.
 */
export const stepAdvantages = ({ lambda }: { readonly lambda: number }) =>
  stage({
    id: `stepAdvantages(${lambda})`,
    needs: ['mask', 'stepEnd', 'values', 'reward/total'],
    adds: ['credit/step'],
    run: async ({ mask, stepEnd, values, 'reward/total': rewards_R }) => {
      const credit = new Float64Array(mask.values.length);
      const right = rightness(rewards_R);
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
 * Direct advantage (arXiv:2412.18279): ½·(β·Σ log π ⁄ π_old − A)² of each step, the sum over the step’s
 * tokens, π_old the policy that wrote them; mean over the steps of the batch. Its minimum over policies is
 * not quite π_old·exp(A ⁄ β), whose sum is above 1: see `regressed` in `../kernel/optimum.ts`.
 */
export const advantageRegression = ({ beta }: { readonly beta: number }) =>
  objective({
    id: `advantageRegression(${beta})`,
    needs: ['tokens', 'mask', 'weight', 'stepEnd', 'credit/step', 'behaviorLogp'],
    prepare: ({ mask, weight, stepEnd }, limits) => {
      const first = new Float32Array(mask.values.length);
      stepPlaces(mask, stepEnd).forEach((steps, r) =>
        steps.forEach((step) => {
          first[step.last] = step.first - mask.offsets[r];
        }),
      );
      return {
        w: averagingWeights(stepEnd, weight, 'token', limits),
        answer: { ...mask, values: Float32Array.from(mask.values) },
        first: { ...mask, values: first },
      };
    },
    loss: ({ tokens, behaviorLogp, 'credit/step': advantage, w, answer, first }, learner) => {
      const [R, T] = first.type.shape;
      const gained = mul(answer, sub(learner.logp(tokens), behaviorLogp));
      const upTo = cumsum(gained, 1);
      // sums over steps: up to the last token, less what lies before the first one
      const begins = add(cast(first, 'int32'), reshape(mul(iota(R), scalar(T, 'int32')), [R, 1]));
      const ofStep = sub(upTo, gather(reshape(sub(upTo, gained), [R * T]), begins));
      const error = dot(w, square(sub(mul(scalar(beta), ofStep), advantage)));
      return { loss: mul(scalar(0.5), error), metrics: { 'advantage/error': error } };
    },
  });
