/** Models that say whether an answer, or a step of one, is right. */
import { add, mul, scalar, softplus, sub, sum as total, neg } from '../../tensor/index.ts';
import { objective } from '../kernel/objective.ts';
import { maskedCounts, rowOf } from '../kernel/rows.ts';
import { stage } from '../kernel/stage.ts';
import { verdictRows } from './verdict-rows.ts';

/**
 * Outcome verifier: −[y·log σ(s) + (1 − y)·log σ(−s)] of each answer's score, averaged (arXiv:2110.14168,
 * section 4; arXiv:2305.20050, section 2.5).
 */
export const answerEntropy = objective({
  id: 'answerEntropy',
  needs: ['tokens', 'weight', 'reward/total'],
  prepare: ({ weight }) => {
    const rows = weight.reduce((a, b) => a + b, 0);
    return { w: weight.map((x) => x / rows) };
  },
  loss: ({ tokens, w, 'reward/total': right }, learner) => {
    const score = learner.score(tokens);
    return {
      loss: total(mul(w, add(mul(right, softplus(neg(score))), mul(sub(scalar(1), right), softplus(score))))),
    };
  },
});

/**
 * Process verifier: the same at the end of each worked line, every line of the batch counting alike
 * (arXiv:2305.20050, section 2.6).
 */
export const stepEntropy = objective({
  id: 'stepEntropy',
  needs: ['tokens', 'weight', 'stepEnd', 'stepRight'],
  prepare: ({ weight, stepEnd, stepRight }) => {
    const steps = maskedCounts(stepEnd).reduce((count, n, r) => count + n * weight[r], 0);
    const w = new Float64Array(stepEnd.values.length);
    weight.forEach((x, r) => {
      for (let t = stepEnd.offsets[r]; t < stepEnd.offsets[r + 1]; t++)
        if (stepEnd.values[t]) w[t] = x / steps;
    });
    return {
      w: { ...stepEnd, values: w },
      right: { ...stepRight, values: Float64Array.from(stepRight.values) },
    };
  },
  loss: ({ tokens, w, right }, learner) => {
    const verdict = learner.verdicts(tokens);
    return {
      loss: total(
        mul(w, add(mul(right, softplus(neg(verdict))), mul(sub(scalar(1), right), softplus(verdict)))),
      ),
    };
  },
});

/**
 * Puts the verdict in words behind each answer, and trains on it alone (arXiv:2408.15240, section 3.1: the
 * direct verifier). Rewards from ½ up count as right.
 */
export const writeVerdict = ({ right, wrong }: { readonly right: string; readonly wrong: string }) =>
  stage({
    id: `writeVerdict(${right}, ${wrong})`,
    needs: ['tokens', 'mask', 'reward/total'],
    adds: ['tokens', 'mask'],
    run: async ({ tokens, 'reward/total': rewards_R }, { text }) => ({
      columns: verdictRows(
        Array.from(rewards_R, (reward, r) => ({
          answer: rowOf(tokens, r),
          verdict: reward >= 0.5 ? right : wrong,
        })),
        text,
        text.context,
      ),
    }),
  });
