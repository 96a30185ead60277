/** Priorities and weights of the rows of a replay. */
import { maskedCounts, maskedSums } from '../../kernel/rows.ts';
import { stage } from '../../kernel/stage.ts';

/**
 * First priority of a fresh row: 1; or 1 if it is better than its group's mean and 0 (not kept) otherwise;
 * or the size of its advantage.
 */
export type FirstPriority = 'even' | 'better' | 'advantage';

/** Gives fresh rows the priority with which they enter a replay buffer. */
export const firstPriority = ({ by }: { readonly by: FirstPriority }) =>
  stage({
    id: `firstPriority(${by})`,
    station: 'selection',
    needs: ['mask', 'advantage'],
    adds: ['row/priority'],
    run: async ({ mask, advantage }) => {
      const counts_R = maskedCounts(mask);
      const mean_R = maskedSums(advantage, mask).map((sum, r) => sum / Math.max(counts_R[r], 1));
      const priorities: { readonly [F in FirstPriority]: (a: number) => number } = {
        even: () => 1,
        better: (a) => Number(a > 0),
        advantage: Math.abs,
      };
      return { columns: { 'row/priority': mean_R.map(priorities[by]) } };
    },
  });

/**
 * Weighs rows by the importance of the whole answer, min(π ⁄ μ, cap), for objectives without a ratio (Ionides
 * 2008, "Truncated Importance Sampling"). π is the policy before this batch's updates; fresh rows differ from
 * it only if they were sampled at another temperature. With `correct: 'none'` every row weighs 1, which is
 * biased.
 */
export const truncatedImportance = ({
  cap,
  correct = 'truncated',
}: {
  readonly cap: number;
  readonly correct?: 'truncated' | 'none';
}) =>
  stage({
    id: `truncatedImportance(${correct === 'none' ? correct : cap})`,
    station: 'selection',
    needs: ['tokens', 'mask', 'weight', 'behaviorLogp', 'model/policy'],
    adds: ['weight', 'row/importance'],
    run: async ({ tokens, mask, weight, behaviorLogp, 'model/policy': policy }) => {
      if (correct === 'none') return { columns: { weight, 'row/importance': weight.map(() => 1) } };
      const [now_R, then_R] = [
        maskedSums(await policy.logp(tokens, mask), mask),
        maskedSums(behaviorLogp, mask),
      ];
      const importance = now_R.map((now, r) => Math.min(Math.exp(now - then_R[r]), cap));
      return { columns: { weight: weight.map((w, r) => w * importance[r]), 'row/importance': importance } };
    },
  });

/**
 * Multiplies the weight of replayed rows by `weight`, which rises from 0 over the first `warmup` of the run.
 */
export const weighReplayed = ({
  weight: most,
  warmup,
}: {
  readonly weight: number;
  readonly warmup: number;
}) =>
  stage({
    id: `weighReplayed(${most}, ${warmup})`,
    station: 'selection',
    needs: ['weight', 'row/fresh'],
    adds: ['weight'],
    run: async ({ weight, 'row/fresh': fresh }, { progress }) => {
      const factor = most * (warmup === 0 ? 1 : Math.min(1, progress / warmup));
      return { columns: { weight: weight.map((w, r) => (fresh[r] ? w : w * factor)) } };
    },
  });
