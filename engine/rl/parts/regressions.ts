/**
 * Objectives that make rewards a matter of regression or classification: on whole answers of a group, and on
 * the value of each next token.
 */
import {
  add,
  concat,
  full,
  mul,
  reshape,
  scalar,
  slice,
  softplus,
  square,
  stopGradient,
  sub,
  sum as total,
  type Expr,
} from '../../tensor/index.ts';
import { WhetstoneError } from '../../schema/errors.ts';
import type { Columns, ModelPort, PerRow, PerToken } from '../kernel/columns.ts';
import { objective } from '../kernel/objective.ts';
import { maskedSums } from '../kernel/rows.ts';
import { stage } from '../kernel/stage.ts';
import { averagingWeights } from './averages.ts';
import { dot } from './sums.ts';

const asNumbers = (mask: PerToken<Uint8Array>): PerToken => ({
  ...mask,
  values: Float32Array.from(mask.values),
});

/**
 * Sum of weights of each row's group. Throws `unsupported` where rows do not come in groups of `size`, which
 * is what the graph is built for.
 */
const groupWeights = (groupId_R: PerRow, weight_R: PerRow, size: number): PerRow => {
  const sums = weight_R.map((_, r) => {
    const first = r - (r % size);
    const own = Array.from({ length: size }, (_x, i) => first + i);
    if (own.some((at) => groupId_R[at] !== groupId_R[first])) {
      throw new WhetstoneError('unsupported', `This objective compares groups of exactly ${size} answers.`, {
        where: 'controllers',
        hint: 'Leave out the controller that shares out answers between prompts.',
      });
    }
    return own.reduce((sum, at) => sum + weight_R[at], 0);
  });
  return sums;
};

/** Sum over each row's group, on each of its rows: rows [G·n] in groups of n. */
const groupSums = (values_R: Expr, n: number): Expr => {
  const R = values_R.type.shape[0];
  return reshape(mul(total(reshape(values_R, [R / n, n]), [1], true), full(1, [R / n, n])), [R]);
};

/**
 * Contrastive policy gradient (arXiv:2406.19185, the loss on pairs): ½·(R_β(y) − R_β(y'))² with R_β = R −
 * β·log π/π_ref, over all pairs of a group, which is Σ w·(R_β − their mean)²/(Σ w − 1). No importance
 * weights: it holds for answers of any origin, and is zero at π ∝ π_ref·exp(R/β).
 */
export const contrastive = ({ beta, size }: { readonly beta: number; readonly size: number }) =>
  objective({
    id: `contrastive(${beta}, ${size})`,
    needs: ['tokens', 'mask', 'groupId', 'weight', 'reward/total', 'logp/initial'],
    unit: size,
    prepare: ({ mask, groupId, weight, 'reward/total': reward, 'logp/initial': reference }) => {
      const sums = groupWeights(groupId, weight, size);
      const groups = weight.length / size;
      return {
        answer: asNumbers(mask),
        share: weight.map((w, r) => w / sums[r]),
        w: weight.map((w, r) => w / (Math.max(sums[r] - 1, 1) * groups)),
        // β·log π_ref + R: what does not change
        fixed: maskedSums(reference, mask).map((logp, r) => beta * logp + reward[r]),
      };
    },
    loss: ({ tokens, answer, share, w, fixed }, learner) => {
      const regularized = sub(fixed, mul(scalar(beta), total(mul(answer, learner.logp(tokens)), [1])));
      return { loss: dot(w, square(sub(regularized, groupSums(mul(share, regularized), size)))) };
    },
  });

/**
 * Actor and critic in one classifier (arXiv:2509.02522, the PACS objective): ψ_i = r̂_i − mean of r̂_j, j ≠
 * i, with r̂ = β·log π/π_old of the whole answer, is the logit of being right: cross-entropy with the
 * verdict. Groups of `size` answers; `balance`: right and wrong ones count half each, whatever their numbers.
 * A reward between 0 and 1 is that much of a right answer, and the rest of a wrong one.
 */
export const coupledClassifier = ({
  beta,
  size,
  balance,
}: {
  readonly beta: number;
  readonly size: number;
  readonly balance: boolean;
}) =>
  objective({
    id: `coupledClassifier(${beta}, ${size})`,
    needs: ['tokens', 'mask', 'groupId', 'weight', 'behaviorLogp', 'row/right', 'row/accuracy'],
    unit: size,
    prepare: (
      { mask, groupId, weight, behaviorLogp, 'row/right': right, 'row/accuracy': accuracy },
      limits,
    ) => {
      const rows = groupWeights(groupId, weight, size).length;
      const even = (p: number) => (balance && p > 0 && p < 1 ? 2 * p : 1);
      return {
        answer: asNumbers(mask),
        old: maskedSums(behaviorLogp, mask),
        each: averagingWeights(mask, weight, 'token', limits),
        positive: weight.map((w, r) => (w * right[r]) / (rows * even(accuracy[r]))),
        negative: weight.map((w, r) => (w * (1 - right[r])) / (rows * even(1 - accuracy[r]))),
      };
    },
    loss: ({ tokens, answer, positive, negative, old, each }, learner) => {
      const score = mul(scalar(beta), sub(total(mul(answer, learner.logp(tokens)), [1]), old));
      const logit = mul(scalar(1 / (size - 1)), sub(mul(scalar(size), score), groupSums(score, size)));
      return {
        loss: add(dot(positive, softplus(mul(scalar(-1), logit))), dot(negative, softplus(logit))),
        metrics: { entropy: dot(each, stopGradient(learner.entropy(tokens))) },
      };
    },
  });

/** Mean log-probability over the vocabulary at each token's place, under a model as it is now. */
export const meanLogpUnder = <const M extends string>(model: M) =>
  stage({
    id: `meanLogpUnder(${model})`,
    needs: ['tokens', 'mask', `model/${model}`],
    adds: [`mean-logp/${model}`],
    run: async (inputs) => {
      const { tokens, mask, ...models } = inputs as Pick<Columns, 'tokens' | 'mask'> &
        Record<string, Pick<ModelPort, 'meanLogp'>>;
      return {
        columns: { [`mean-logp/${model}`]: await models[`model/${model}`].meanLogp(tokens, mask) } as never,
      };
    },
  });

/** 1 where another token of the answer follows. */
export const followed = (mask: PerToken<Uint8Array>): PerToken => {
  const starts = new Set(mask.offsets);
  return {
    ...mask,
    values: Float32Array.from(mask.values, (m, at) =>
      Number(m === 1 && mask.values[at + 1] === 1 && !starts.has(at + 1)),
    ),
  };
};

/** Entry t + 1 at t. */
const ahead = (values_RT: Expr): Expr => {
  const [R, T] = values_RT.type.shape;
  return concat([slice(values_RT, 1, 1, T), full(0, [R, 1])], 1);
};

/**
 * Valuation of the uniform policy (arXiv:2509.24981, algorithm 1): Q = ρ·log π/π_old of each token regresses
 * on the answer's centred reward + the mean over the vocabulary of Q at the next place, held fixed; after the
 * last token nothing is left. Sampling from softmax(Q/ρ) is the policy itself.
 */
export const uniformValuation = ({ rho }: { readonly rho: number }) =>
  objective({
    id: `uniformValuation(${rho})`,
    needs: ['tokens', 'mask', 'weight', 'behaviorLogp', 'mean-logp/policy', 'advantage'],
    prepare: ({ mask, weight }, limits) => ({
      w: averagingWeights(mask, weight, 'token', limits),
      next: followed(mask),
    }),
    loss: ({ tokens, behaviorLogp, advantage, 'mean-logp/policy': meanLogp, w, next }, learner) => {
      const value = mul(scalar(rho), sub(learner.logp(tokens), behaviorLogp));
      const later = mul(next, ahead(mul(scalar(rho), sub(learner.meanLogp(tokens), meanLogp))));
      const target = stopGradient(add(advantage, later));
      return {
        loss: dot(w, square(sub(value, target))),
        metrics: {
          'value/error': dot(w, square(sub(value, target))),
          entropy: dot(w, stopGradient(learner.entropy(tokens))),
        },
      };
    },
  });
