/** Selects among answers that were sampled in rounds. */
import { stage } from '../../kernel/stage.ts';

/** Keeps the answers to prompts that show something: those of round `from` on. */
export const keepRounds = ({ from }: { readonly from: number }) =>
  stage({
    id: `keepRounds(${from})`,
    station: 'selection',
    needs: ['row/round'],
    adds: [],
    run: async ({ 'row/round': round }) => ({
      columns: {},
      from_R: Uint32Array.from([...round.keys()].filter((r) => round[r] >= from)),
    }),
  });

/**
 * Keeps every answer to a plain prompt, and of each prompt's later answers the best one, the first in a tie
 * (Critique-GRPO, arXiv:2506.03106, section 4: one refinement joins the group).
 */
export const keepBestRevision = stage({
  id: 'keepBestRevision',
  station: 'selection',
  needs: ['row/round', 'row/prompt', 'reward/total'],
  adds: [],
  run: async ({ 'row/round': round, 'row/prompt': prompt, 'reward/total': rewards_R }) => {
    const best = new Map<number, number>();
    round.forEach((each, r) => {
      const found = best.get(prompt[r]);
      if (each > 0 && (found === undefined || rewards_R[r] > rewards_R[found])) best.set(prompt[r], r);
    });
    const kept = new Set(best.values());
    return {
      columns: {},
      from_R: Uint32Array.from([...round.keys()].filter((r) => round[r] === 0 || kept.has(r))),
    };
  },
});

/** Keeps every answer to a plain prompt, and later ones whose reward is at least `threshold`. */
export const keepRightRevisions = ({ threshold }: { readonly threshold: number }) =>
  stage({
    id: `keepRightRevisions(${threshold})`,
    station: 'selection',
    needs: ['row/round', 'reward/total'],
    adds: [],
    run: async ({ 'row/round': round, 'reward/total': rewards_R }) => ({
      columns: {},
      from_R: Uint32Array.from([...round.keys()].filter((r) => round[r] === 0 || rewards_R[r] >= threshold)),
    }),
  });

/**
 * Makes the answers to one prompt a group, whatever their prompts showed; or (`apart`) those of each round,
 * so that second answers are compared with second answers.
 */
export const groupByPrompt = ({ rounds }: { readonly rounds: 'together' | 'apart' }) =>
  stage({
    id: `groupByPrompt(${rounds})`,
    station: 'selection',
    needs: ['row/prompt', 'row/round', 'groupId'],
    adds: ['groupId'],
    run: async ({ 'row/prompt': prompt, 'row/round': round }) => {
      const most = round.reduce((a, b) => Math.max(a, b), 0) + 1;
      return { columns: { groupId: prompt.map((p, r) => (rounds === 'apart' ? p * most + round[r] : p)) } };
    },
  });
