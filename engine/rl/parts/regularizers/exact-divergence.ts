/** Divergences between whole next-token distributions: exact at every position, not estimated from a token. */
import {
  type Expr,
  add,
  exp,
  logSoftmax,
  mul,
  neg,
  scalar,
  softplus,
  sub,
  sum,
} from '../../../tensor/index.ts';
import { objective } from '../../kernel/objective.ts';
import { type Average, averagedAndShared } from '../math/averages.ts';
import { weightedSum } from '../math/expressions.ts';

/**
 * `reverse`: KL(policy ‖ other), which leaves out what the other finds unlikely; `forward`: KL(other ‖ policy),
 * which covers all that the other does; `jensen-shannon`: the mean of the divergences of both from their
 * mixture, at most ln 2.
 */
export type ExactKind = 'reverse' | 'forward' | 'jensen-shannon';
export const exactKinds = ['reverse', 'forward', 'jensen-shannon'] as const satisfies readonly ExactKind[];

const klOf = (logp: Expr, logq: Expr): Expr => sum(mul(exp(logp), sub(logp, logq)), -1);

/** Logits [N, V] of the policy and of the other model → [N], in nats. */
export const divergenceOf: { readonly [K in ExactKind]: (own_NV: Expr, other_NV: Expr) => Expr } = {
  reverse: (own, other) => klOf(logSoftmax(own), logSoftmax(other)),
  forward: (own, other) => klOf(logSoftmax(other), logSoftmax(own)),
  'jensen-shannon': (own, other) => {
    const [p, q] = [logSoftmax(own), logSoftmax(other)];
    // log ½(p + q), without exponents that overflow
    const mixture = sub(add(p, softplus(sub(q, p))), scalar(Math.LN2));
    return mul(add(klOf(p, mixture), klOf(q, mixture)), scalar(0.5));
  },
};

/**
 * Exact divergence over the vocabulary from another model (a snapshot or a role), at each trained token of the
 * rows. The other model is evaluated within the update, so no distribution is stored.
 */
export const exactDivergence = (
  model: string,
  { kind, average = 'sequence' }: { readonly kind: ExactKind; readonly average?: Average },
) =>
  objective({
    id: `exactDivergence(${model}, ${kind}, ${average})`,
    needs: ['tokens', 'mask', 'weight'],
    models: [model],
    prepare: ({ mask, weight }, limits) => averagedAndShared(mask, weight, average, limits),
    loss: ({ tokens, weights, tokenShare }, learner) => {
      const divergence = learner.against(model, tokens, divergenceOf[kind]);
      return {
        loss: weightedSum(weights, divergence),
        metrics: { [`kl/${model}`]: weightedSum(tokenShare, divergence) },
      };
    },
  });

/** The generator f(u) of a divergence of the policy from a reference, u = π ⁄ π_ref, of log u. */
type Generator = (logRatio: Expr) => Expr;
export type SampledKind = 'forward' | 'jensen-shannon';
export const generators: { readonly [K in SampledKind]: Generator } = {
  // f(u) = −log u
  forward: neg,
  // f(u) = ½·(u·log u − (u + 1)·log((u + 1) ⁄ 2)); log((u + 1) ⁄ 2) = softplus(log u) − ln 2
  'jensen-shannon': (d) => {
    const u = exp(d);
    const half = sub(softplus(d), scalar(Math.LN2));
    return mul(sub(mul(u, d), mul(add(u, scalar(1)), half)), scalar(0.5));
  },
};
