import { mul, neg, scalar, sigmoid, sub, sum as total } from '../../tensor/index.ts';
import { objective } from '../kernel/objective.ts';
import { maskedSums, ragged, rowCount, rowOf } from '../kernel/rows.ts';
import { stage } from '../kernel/stage.ts';
import { dot } from './sums.ts';

/** From here on a reward says that an answer is wanted. */
const WANTED = 0.5;

/**
 * How far the policy is from where it began on these prompts: the mean log-ratio of answers put behind the
 * prompt after their own, at least 0. Every row carries the same number, which has no gradient
 * (arXiv:2402.01306, the reference point z₀; answers rotate by one row as in TRL).
 */
export const mismatchedPoint = stage({
  id: 'mismatchedPoint',
  needs: ['prompt', 'tokens', 'mask', 'model/policy', 'model/initial'],
  adds: ['row/reference-point'],
  run: async (
    { prompt, tokens, mask, 'model/policy': policy, 'model/initial': initial },
    { text: { context } },
  ) => {
    const rows = rowCount(tokens);
    const pieces = Array.from({ length: rows }, (_, r) => {
      const from = (r + rows - 1) % rows;
      const own = rowOf(mask, from);
      return { head: rowOf(prompt, r), answer: rowOf(tokens, from).filter((_token, t) => own[t] === 1) };
    });
    const torn = ragged(
      pieces.map(({ head, answer }) => [...head, ...answer].slice(0, context)),
      Int32Array,
    );
    const scored = ragged(
      pieces.map(({ head, answer }) => [...head.map(() => 0), ...answer.map(() => 1)].slice(0, context)),
      Uint8Array,
    );
    const [now, before] = [
      maskedSums(await policy.logp(torn), scored),
      maskedSums(await initial.logp(torn), scored),
    ];
    const gained = now.reduce((sum, value, r) => sum + value - before[r], 0) / Math.max(rows, 1);
    return { columns: { 'row/reference-point': new Float64Array(rows).fill(Math.max(0, gained)) } };
  },
});

/**
 * Kahneman–Tversky optimization: the value of an answer, a sigmoid of its log-ratio above (unwanted: below)
 * the reference point, is made large (arXiv:2402.01306, the KTO loss). Answers count as wanted where their
 * reward is at least ½.
 */
export const prospectValue = ({
  beta,
  wanted,
  unwanted,
}: {
  readonly beta: number;
  readonly wanted: number;
  readonly unwanted: number;
}) =>
  objective({
    id: `prospectValue(${beta})`,
    needs: ['tokens', 'mask', 'weight', 'reward/total', 'row/reference-point', 'logp/initial'],
    prepare: ({
      mask,
      weight,
      'reward/total': reward,
      'row/reference-point': point,
      'logp/initial': reference,
    }) => {
      const side = (sign: 1 | -1) => weight.map((w, r) => (reward[r] >= WANTED === sign > 0 ? w : 0));
      const mean = (weights: Float64Array) => {
        const sum = weights.reduce((a, b) => a + b, 0);
        return weights.map((w) => (sum > 0 ? w / sum : 0));
      };
      const rows = Math.max(
        weight.reduce((a, b) => a + b, 0),
        Number.MIN_VALUE,
      );
      return {
        sign: reward.map((value) => (value >= WANTED ? 1 : -1)),
        w: weight.map((value, r) => (value * (reward[r] >= WANTED ? wanted : unwanted)) / rows),
        before: maskedSums(reference, mask),
        point,
        answer: { ...mask, values: Float32Array.from(mask.values) },
        chosen: mean(side(1)),
        rejected: mean(side(-1)),
        each: mean(weight),
      };
    },
    loss: ({ tokens, answer, before, point, sign, w, chosen, rejected, each }, learner) => {
      const gained_R = sub(total(mul(answer, learner.logp(tokens)), [1]), before);
      const loss_R = sigmoid(neg(mul(scalar(beta), mul(sign, sub(gained_R, point)))));
      const reward_R = mul(scalar(beta), gained_R);
      return {
        loss: dot(w, loss_R),
        metrics: {
          'rewards/chosen': dot(chosen, reward_R),
          'rewards/rejected': dot(rejected, reward_R),
          kl: dot(each, point),
        },
      };
    },
  });
