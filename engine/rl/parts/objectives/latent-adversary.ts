/** Training against perturbations of the embeddings of a prompt, found by an inner attack. */
import {
  add,
  broadcastTo,
  div,
  exp,
  full,
  grad,
  log,
  maximum,
  minimum,
  mul,
  neg,
  reshape,
  scalar,
  sqrt,
  square,
  stopGradient,
  sub,
  sum,
  type Expr,
} from '../../../tensor/index.ts';
import type { PerToken } from '../../kernel/columns.ts';
import { objective, type ModelGraphView } from '../../kernel/objective.ts';
import { broadcast, maskedCounts } from '../../kernel/rows.ts';
import { weightedSum } from '../math/expressions.ts';
import { sideOf } from '../math/pair-losses.ts';

export interface Attack {
  /** Steps of projected gradient descent, their length, and the largest norm of a token's perturbation. */
  readonly attackSteps: number;
  readonly stepSize: number;
  readonly radius: number;
  /** Weight of −log(1 − p) of the answer to be avoided, next to −log p of the one to be given. */
  readonly awayWeight: number;
}

/** The least probability of not giving a token. */
const SMALL = 1e-6;
const tiny = scalar(1e-8);

/** Mean −log p of one side's tokens, and mean −log(1 − p) of the other's: [P] each. */
const towards = (logp_RT: Expr, share_RT: Expr, good: 0 | 1, away: number): Expr => {
  const likely = neg(sum(mul(share_RT, logp_RT), [1]));
  const unlikely = neg(sum(mul(share_RT, log(maximum(sub(scalar(1), exp(logp_RT)), scalar(SMALL)))), [1]));
  return add(sideOf(likely, good), mul(scalar(away), sideOf(unlikely, good === 0 ? 1 : 0)));
};

/** 1 on the prompt: the tokens before the first trained one. */
const promptOf = (mask: PerToken<Uint8Array>): PerToken => {
  const values = new Float32Array(mask.values.length);
  for (let r = 0; r < mask.offsets.length - 1; r++) {
    const row = mask.values.subarray(mask.offsets[r], mask.offsets[r + 1]);
    const first = row.indexOf(1);
    values.fill(1, mask.offsets[r], mask.offsets[r] + (first < 0 ? 0 : first));
  }
  return { axis: 'T', values, offsets: mask.offsets };
};

/** Norm of each token's vector: [P, T, D] → [P, T, 1]. */
const norms = (x: Expr): Expr => sqrt(add(sum(square(x), -1, true), scalar(1e-16)));

/** The perturbation [R, T, D] of both rows of each pair, without gradient. */
const attacked = (
  learner: ModelGraphView,
  { tokens, share, prompt }: { readonly tokens: Expr; readonly share: Expr; readonly prompt: Expr },
  { attackSteps, stepSize, radius, awayWeight }: Attack,
): Expr => {
  const [R, T] = tokens.type.shape;
  const [P, D] = [R / 2, learner.width];
  const onBoth = (shift_PTD: Expr) =>
    reshape(broadcastTo(reshape(shift_PTD, [P, 1, T, D]), [P, 2, T, D]), [R, T, D]);
  const places = reshape(sum(mul(reshape(prompt, [P, 2, T]), scalar(0.5)), 1), [P, T, 1]);
  let shift: Expr = full(0, [P, T, D]);
  for (let step = 0; step < attackSteps; step++) {
    const logp = learner.shiftedLogp(tokens, onBoth(shift));
    const [slope] = grad(sum(towards(logp, share, 1, awayWeight)), [shift]);
    const move = mul(places, div(slope, add(norms(slope), tiny)));
    const moved = sub(shift, mul(scalar(stepSize), move));
    shift = stopGradient(mul(moved, minimum(scalar(1), div(scalar(radius), norms(moved)))));
  }
  return onBoth(shift);
};

/**
 * Targeted latent adversarial training (arXiv:2407.15549, section 3): an inner attack perturbs the embeddings of
 * each prompt, within a ball around every token's, so that the rejected answer becomes likely and the chosen one
 * unlikely; the loss is −log p of the chosen answer and −log(1 − p) of the rejected one's tokens under that
 * perturbation. The paper attacks the residual stream at several layers; here it is the stream's start.
 */
export const latentAdversary = (attack: Attack) =>
  objective({
    id: `latentAdversary(${attack.attackSteps}, ${attack.stepSize}, ${attack.radius}, ${attack.awayWeight})`,
    needs: ['tokens', 'mask', 'weight', 'pairId'],
    unit: 2,
    prepare: ({ mask, weight }) => {
      const pairs = Math.max(weight.reduce((a, b) => a + b, 0) / 2, Number.MIN_VALUE);
      return {
        weights: weight.map((w) => w / pairs),
        prompt: promptOf(mask),
        share: broadcast(
          maskedCounts(mask).map((n) => 1 / Math.max(n, 1)),
          mask,
        ),
      };
    },
    loss: ({ tokens, weights, prompt, share }, learner) => {
      const shift = attacked(learner, { tokens, share, prompt }, attack);
      const logp = learner.shiftedLogp(tokens, shift);
      const pairShare = sideOf(weights, 0);
      return {
        loss: weightedSum(pairShare, towards(logp, share, 0, attack.awayWeight)),
        metrics: {
          'attack/loss': weightedSum(pairShare, stopGradient(towards(logp, share, 1, attack.awayWeight))),
        },
      };
    },
  });
