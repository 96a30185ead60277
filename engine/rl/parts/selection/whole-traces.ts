import { rowOf } from '../../kernel/rows.ts';
import { stage } from '../../kernel/stage.ts';
import { groupsOf } from '../math/groups.ts';
import { answerStart } from '../math/places.ts';

/**
 * Keeps each right answer of a tree once (reward above `threshold`), at most `most` per prompt, and trains all of
 * it, its given beginning included: the verified traces of a search.
 */
export const wholeTraces = ({ threshold, most }: { readonly threshold: number; readonly most: number }) =>
  stage({
    id: `wholeTraces(${threshold}, ${most})`,
    station: 'selection',
    needs: ['problem', 'groupId', 'tokens', 'mask', 'reward/total'],
    adds: ['mask'],
    run: async ({ problem, groupId, tokens, mask, 'reward/total': rewards_R }) => {
      const kept = groupsOf(groupId).flatMap((group) => {
        const texts = new Map<string, number>();
        for (const r of group.filter((row) => rewards_R[row] > threshold)) {
          const text = rowOf(tokens, r).join(' ');
          if (!texts.has(text)) texts.set(text, r);
        }
        return [...texts.values()].slice(0, most);
      });
      const values = kept.flatMap((r) => {
        const own = rowOf(mask, r);
        return [...own.slice().fill(1, answerStart(problem[r], own))];
      });
      const offsets = new Uint32Array(kept.length + 1);
      kept.forEach((r, at) => {
        offsets[at + 1] = offsets[at] + mask.offsets[r + 1] - mask.offsets[r];
      });
      return {
        from_R: Uint32Array.from(kept),
        columns: { mask: { axis: 'T', values: Uint8Array.from(values), offsets } },
      };
    },
  });
