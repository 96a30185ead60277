/** Objectives for rows that an older policy sampled. */
import {
  add,
  greater,
  clip,
  exp,
  minimum,
  mul,
  neg,
  relu,
  scalar,
  stopGradient,
  sub,
} from '../../../tensor/index.ts';
import { objective } from '../../kernel/objective.ts';
import { type Average, averagedAndShared } from '../math/averages.ts';
import { indicator, maskedDifference, weightedSum } from '../math/expressions.ts';
import { firstOf } from '../math/places.ts';

/**
 * Decoupled clipped surrogate (arXiv:2110.00641; arXiv:2505.24298 for stale language-model rollouts): the
 * ratio to the proximal policy is clipped, the proximal policy's to the sampler, at most `cap`, weighs the
 * token. `logp/policy` is the policy before this batch's updates.
 */
export const decoupledSurrogate = ({
  clipLow,
  clipHigh,
  cap,
  average = 'token',
}: {
  readonly clipLow: number;
  readonly clipHigh: number;
  readonly cap: number;
  readonly average?: Average;
}) =>
  objective({
    id: `decoupledSurrogate(${clipLow}, ${clipHigh}, ${cap}, ${average})`,
    needs: ['tokens', 'mask', 'weight', 'behaviorLogp', 'logp/policy', 'advantage'],
    prepare: ({ mask, weight, behaviorLogp, 'logp/policy': proximal, advantage }, limits) => ({
      ...averagedAndShared(mask, weight, average, limits),
      credit: {
        ...advantage,
        values: advantage.values.map((a, at) =>
          mask.values[at] ? a * Math.min(Math.exp(proximal.values[at] - behaviorLogp.values[at]), cap) : 0,
        ),
      },
    }),
    loss: ({ tokens, mask, 'logp/policy': proximal, credit, weights, tokenShare }, learner) => {
      const ratio = exp(maskedDifference(mask, learner.logp(tokens), proximal));
      const bounded = clip(ratio, 1 - clipLow, 1 + clipHigh);
      return {
        loss: neg(weightedSum(weights, minimum(mul(ratio, credit), mul(bounded, credit)))),
        metrics: {
          'clip_ratio/high': weightedSum(tokenShare, indicator(greater(ratio, scalar(1 + clipHigh)))),
          entropy: weightedSum(tokenShare, stopGradient(learner.entropy(tokens))),
        },
      };
    },
  });

/**
 * A critic of prompts by Gumbel regression (arXiv:2301.02328, used by ROER, arXiv:2407.03995): exp(z) − z −
 * 1 with z = (reward − value) ⁄ β; its minimum is β·log E[exp(reward ⁄ β)], the soft maximum of the rewards.
 * Beyond `cap` the exponential goes on along its tangent, so that the gradient is bounded and keeps its sign.
 */
export const gumbelPromptValue = ({ beta, cap }: { readonly beta: number; readonly cap: number }) =>
  objective({
    id: `gumbelPromptValue(${beta}, ${cap})`,
    needs: ['tokens', 'mask', 'weight', 'reward/total'],
    prepare: ({ mask, weight, 'reward/total': rewards_R }) => {
      const rows = Math.max(
        weight.reduce((a, b) => a + b, 0),
        Number.MIN_VALUE,
      );
      return {
        weights: firstOf(
          mask,
          weight.map((w) => w / rows),
        ),
        target: firstOf(mask, rewards_R),
      };
    },
    loss: ({ tokens, weights, target }, learner) => {
      const z = mul(sub(target, learner.values(tokens)), scalar(1 / beta));
      const bounded = minimum(z, scalar(cap));
      const beyond = mul(scalar(Math.exp(cap)), relu(sub(z, scalar(cap))));
      return { loss: weightedSum(weights, sub(sub(add(exp(bounded), beyond), z), scalar(1))) };
    },
  });
