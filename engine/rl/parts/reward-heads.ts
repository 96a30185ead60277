/** Reward models beside Bradley and Terry's: with ties, with margins, with several heads. */
import { stream } from '../../random/random.ts';
import {
  add,
  exp,
  greater,
  log,
  mul,
  neg,
  reshape,
  scalar,
  slice,
  softplus,
  square,
  sub,
  type Expr,
} from '../../tensor/index.ts';
import { WhetstoneError } from '../../schema/errors.ts';
import type { RewardStack } from '../kernel/method.ts';
import { objective } from '../kernel/objective.ts';
import { stage } from '../kernel/stage.ts';
import { logisticLoss, pairWeights, sideOf } from './pairing.ts';
import { dot, share } from './sums.ts';

/** Of rows in twos, the first's value (the chosen one's) less the second's. */
const margins = (values_R: Expr): Expr => sub(sideOf(values_R, 0), sideOf(values_R, 1));
const shown = (w: Expr, margin: Expr) => ({
  'rewards/margins': dot(w, margin),
  'rewards/accuracies': dot(w, share(greater(margin, scalar(0)))),
});

/**
 * −log σ(Δ − m): the scores of a sure pair must differ by more than m; a tie has no margin and counts half
 * for each side (arXiv:2307.09288, eq. 2).
 */
export const marginEntropy = ({ margin }: { readonly margin: number }) =>
  objective({
    id: `marginEntropy(${margin})`,
    needs: ['tokens', 'pairId', 'chosen', 'agreement', 'weight'],
    unit: 2,
    prepare: ({ weight, agreement }) => ({
      w: pairWeights(weight),
      sure: agreement,
      gap: agreement.map((a) => margin * Math.max(0, 2 * a - 1)),
    }),
    loss: ({ tokens, w, sure, gap }, learner) => {
      const margin = margins(learner.score(tokens));
      const short = sub(margin, sideOf(gap, 0));
      const each = sideOf(w, 0);
      const yes = sideOf(sure, 0);
      return {
        loss: dot(each, add(mul(yes, softplus(neg(short))), mul(sub(scalar(1), yes), softplus(short)))),
        metrics: shown(each, margin),
      };
    },
  });

/**
 * ν that makes ties as likely as they are, given the margins: the root of Σ_ties 1 = Σ_all P(tie), P(tie) = ν
 * ⁄ (e^{m⁄2} + e^{−m⁄2} + ν); 0 without a tie.
 */
export const tieStrength = (margins_P: ArrayLike<number>, ties: number): number => {
  const bad = Array.from(margins_P).find((margin) => !Number.isFinite(margin));
  if (bad !== undefined)
    throw new WhetstoneError('numeric', `A margin is ${bad}, so nobody can tell how likely ties are.`, {
      where: 'row/nu',
      hint: 'Lower the learning rate.',
    });
  if (ties === 0) return 0;
  const spread = Array.from(margins_P, (m) => 2 * Math.cosh(m / 2));
  // where all are ties no finite ν is likeliest
  const most = 1e3 * Math.max(...spread);
  let [low, high] = [0, most];
  for (let i = 0; i < 100; i++) {
    const nu = (low + high) / 2;
    if (spread.reduce((sum, s) => sum + nu / (s + nu), 0) > ties) high = nu;
    else low = nu;
  }
  return (low + high) / 2;
};

/**
 * ν of Davidson's model by maximum likelihood, at the scores as they are now: one half of a coordinate
 * ascent, of which the gradient step is the other.
 */
export const estimateTies = stage({
  id: 'estimateTies',
  needs: ['tokens', 'agreement', 'model/policy'],
  adds: ['row/nu'],
  run: async ({ tokens, agreement, 'model/policy': model }) => {
    const scores = await model.scores(tokens);
    const pairs = scores.length / 2;
    const nu = tieStrength(
      Float64Array.from({ length: pairs }, (_, p) => scores[2 * p] - scores[2 * p + 1]),
      agreement.filter((a) => a === 0.5).length / 2,
    );
    return { columns: { 'row/nu': new Float64Array(scores.length).fill(nu) } };
  },
});

/**
 * Bradley–Terry with ties (Davidson 1970, the model with one parameter for ties), strengths exp(score),
 * margin m: P(first) = e^{m⁄2} ⁄ (e^{m⁄2} + e^{−m⁄2} + ν), P(tie) = ν ⁄ the same. The loss is the negative
 * log-likelihood, log ν of ties included.
 */
export const davidson = objective({
  id: 'davidson',
  needs: ['tokens', 'pairId', 'chosen', 'agreement', 'weight', 'row/nu'],
  unit: 2,
  prepare: ({ weight, agreement, 'row/nu': nu }) => ({
    w: pairWeights(weight),
    decided: agreement.map((a) => Number(a !== 0.5)),
    nu,
    constant: agreement.map((a, r) => (a === 0.5 ? Math.log(Math.max(nu[r], 1e-12)) : 0)),
  }),
  loss: ({ tokens, w, decided, nu, constant }, learner) => {
    const margin = margins(learner.score(tokens));
    const half = mul(margin, scalar(0.5));
    const each = sideOf(w, 0);
    // safe for |m| below 170, where e^h overflows
    const whole = log(add(add(exp(half), exp(neg(half))), sideOf(nu, 0)));
    return {
      loss: dot(each, sub(sub(whole, mul(sideOf(decided, 0), half)), sideOf(constant, 0))),
      metrics: { ...shown(each, margin), 'rewards/nu': dot(each, sideOf(nu, 0)) },
    };
  },
});

/**
 * How often each head sees each prompt: Poisson(1), the same in every epoch, so that each head has a
 * bootstrap sample of the prompts of its own.
 */
export const bootstrapWeight = (promptId: number, head: number): number => {
  const draw = stream(0, 'bootstrap of a reward head', promptId, head).next();
  let count = 0;
  for (let term = Math.exp(-1), below = term; draw > below && count < 12; below += term) term /= ++count;
  return count;
};

/** Of label k of K: each row's number. */
const label = (scores: Expr, k: number): Expr => {
  const [R, K = 1] = scores.type.shape;
  return K === 1 ? reshape(scores, [R]) : reshape(slice(scores, 1, k, k + 1), [R]);
};

/**
 * K heads, each a Bradley–Terry model of its own resampled prompts: what they disagree on is what the labels
 * do not say (after arXiv:2409.15360).
 */
export const ensembleEntropy = ({ heads }: { readonly heads: number }) =>
  objective({
    id: `ensembleEntropy(${heads})`,
    needs: ['tokens', 'promptId', 'pairId', 'chosen', 'agreement', 'weight'],
    unit: 2,
    prepare: ({ promptId, weight, agreement }) => {
      const each = pairWeights(weight);
      return {
        w: each,
        sure: agreement,
        ...Object.fromEntries(
          Array.from({ length: heads }, (_, k) => [
            `w${k}`,
            each.map((w, r) => (w * bootstrapWeight(promptId[r], k)) / heads),
          ]),
        ),
      } as Record<'w' | 'sure' | `w${number}`, Float64Array>;
    },
    loss: (inputs, learner) => {
      const scores = learner.score(inputs.tokens);
      const yes = sideOf(inputs.sure, 0);
      const each = Array.from({ length: heads }, (_, k) => margins(label(scores, k)));
      const losses = each.map((margin, k) => dot(sideOf(inputs[`w${k}`], 0), logisticLoss()(margin, yes)));
      return {
        loss: losses.reduce((sum, one) => add(sum, one)),
        metrics: shown(
          sideOf(inputs.w, 0),
          mul(
            each.reduce((sum, one) => add(sum, one)),
            scalar(1 / heads),
          ),
        ),
      };
    },
  });

/**
 * Each scorer's raw value of the answers as a target of its own; what is known of the answers (`label`) where
 * the run names no scorer.
 */
export const attributes = (stack: RewardStack<'total'>) =>
  stage({
    id: 'attributes',
    needs: ['problem', 'completion', 'tokens', 'mask', 'ended', 'groupId', 'label'],
    adds: attributeNames(stack),
    run: async (rows) => {
      const raw = stack.empty ? { label: rows.label } : (await stack.score(rows)).raw;
      const named = stack.empty ? ['label'] : stack.scorers;
      return { columns: Object.fromEntries(named.map((name, k) => [`row/attribute-${k}`, raw[name]])) };
    },
  });
const attributeNames = (stack: RewardStack<'total'>): `row/attribute-${number}`[] =>
  Array.from({ length: attributeCount(stack) }, (_, k) => `row/attribute-${k}` as const);
export const attributeCount = (stack: RewardStack<'total'>): number => Math.max(1, stack.scorers.length);

/**
 * One head with a label for each attribute, fitted by least squares: the mean over rows and labels of (score
 * − target)² (arXiv:2402.18571, section 3.1).
 */
export const attributeError = (stack: RewardStack<'total'>) => {
  const names = attributeNames(stack);
  return objective({
    id: `attributeError(${names.length})`,
    needs: ['tokens', 'weight', ...names],
    prepare: ({ weight }) => {
      const rows = weight.reduce((a, b) => a + b, 0);
      return { w: weight.map((x) => x / (rows * names.length)) };
    },
    loss: (inputs, learner) => {
      const scores = learner.score(inputs.tokens);
      return {
        loss: names
          .map((name, k) => dot(inputs.w, square(sub(label(scores, k), inputs[name]))))
          .reduce((sum, one) => add(sum, one)),
      };
    },
  });
};
