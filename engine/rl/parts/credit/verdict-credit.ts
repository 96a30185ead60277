/** Credit for steps by a verifier's written verdicts, mixed with the credit of the outcome. */
import type { VerdictWords } from '../../kernel/recipe.ts';
import { stage } from '../../kernel/stage.ts';
import { groupsOf } from '../math/groups.ts';
import { stepPlaces } from '../math/steps.ts';
import { verdictsOf } from '../math/written-verdicts.ts';
import { DEVIATION_EPSILON } from './center-by-group.ts';

/** The weight of step credit at the end of a run (arXiv:2505.15034). */
export const LEAST_SHARE = 1e-3;

/** Decays exponentially from `start` to 1e-3 over the run; a start below that stays as it is. */
export const decayedShare = (start: number, progress: number): number =>
  start <= LEAST_SHARE ? start : start * (LEAST_SHARE / start) ** progress;

/**
 * Number of judged steps of each answer: all of its steps but the last, which is the final answer, or the end
 * token.
 */
export const countSteps = stage({
  id: 'countSteps',
  station: 'credit',
  needs: ['mask', 'stepEnd'],
  adds: ['row/steps'],
  run: async ({ mask, stepEnd }) => ({
    columns: {
      'row/steps': Float64Array.from(stepPlaces(mask, stepEnd), (steps) => Math.max(0, steps.length - 1)),
    },
  }),
});

/**
 * Adds step credit to the credit of the outcome (arXiv:2505.15034): each step earns ±1 ⁄ N by its verdict of
 * N, at its last token; these rewards are centered and divided by their deviation over the steps of a group;
 * a token's step credit is the sum of its own step's and all later ones. A = (1 − α)·A_outcome + α·A_step.
 * An answer without one verdict for each step gets no step reward.
 */
export const verdictCredit = ({
  right,
  wrong,
  share,
}: Pick<VerdictWords, 'right' | 'wrong'> & { readonly share: number }) =>
  stage({
    id: `verdictCredit(${right}, ${wrong}, ${share})`,
    station: 'credit',
    needs: ['groupId', 'mask', 'stepEnd', 'row/steps', 'reply/completion', 'advantage'],
    adds: ['advantage'],
    run: async (
      { groupId, mask, stepEnd, advantage, 'row/steps': steps, 'reply/completion': verdicts },
      { progress },
    ) => {
      const places = stepPlaces(mask, stepEnd);
      const judged = verdicts.map((text, r) => verdictsOf(text, { right, wrong }, steps[r] + 1));
      const rewards = judged.map((row, r) =>
        row ? Array.from({ length: steps[r] }, (_, s) => (row[s] ? 1 : -1) / steps[r]) : [],
      );
      const alpha = decayedShare(share, progress);
      const values = advantage.values.map((value) => (1 - alpha) * value);
      for (const rows of groupsOf(groupId)) {
        const { mean, deviation } = momentsOf(rows.flatMap((r) => rewards[r]));
        for (const r of rows) {
          let later = 0;
          for (let s = rewards[r].length - 1; s >= 0; s--) {
            later += (rewards[r][s] - mean) / deviation;
            const { first, last } = places[r][s];
            for (let at = first; at <= last; at++) if (mask.values[at]) values[at] += alpha * later;
          }
        }
      }
      return {
        columns: { advantage: { ...advantage, values } },
        raw: { steps: Float64Array.from(rewards, (row) => row.reduce((a, b) => a + b, 0)) },
      };
    },
  });

/** Mean, and sample deviation with a small constant against division by 0. */
const momentsOf = (rewards: readonly number[]): { readonly mean: number; readonly deviation: number } => {
  const mean = rewards.reduce((a, b) => a + b, 0) / Math.max(rewards.length, 1);
  const squares = rewards.reduce((a, b) => a + (b - mean) ** 2, 0);
  return { mean, deviation: Math.sqrt(squares / Math.max(rewards.length - 1, 1)) + DEVIATION_EPSILON };
};
