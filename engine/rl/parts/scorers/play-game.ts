/** Games between an answer that proposes a problem and the reply that solves it. */
import { stage } from '../../kernel/stage.ts';
import { groupsOf } from '../math/groups.ts';

/** Groups of all proposals and of all replies of a batch, apart from those of prompts. */
const PROPOSALS = -1;
const REPLIES = -2;

/**
 * What each side of a game earns. `zero-sum`: the reply earns 1 if it is right and −1 if not, the proposal
 * the opposite, and −1 if it is no valid problem (arXiv:2506.07468). `harder`: a reply earns its success, a
 * proposal 1 − the mean success of its replies, and 0 if it is not valid (arXiv:2510.18821). Replies to an
 * invalid problem do not count. Each side is compared within the batch; replies of `harder` with one another.
 */
export const playGame = ({ rule }: { readonly rule: 'zero-sum' | 'harder' }) =>
  stage({
    id: `playGame(${rule})`,
    station: 'scorers',
    needs: ['groupId', 'row/success', 'row/valid'],
    adds: ['reward/total', 'row/reply-earned', 'row/reply-counts', 'row/own-group', 'row/reply-group'],
    run: async ({ groupId, 'row/success': success, 'row/valid': valid }) => {
      const isZeroSum = rule === 'zero-sum';
      const solved = new Float64Array(success.length);
      for (const rows of groupsOf(groupId)) {
        const mean = rows.reduce((sum, r) => sum + success[r], 0) / rows.length;
        for (const r of rows) solved[r] = isZeroSum ? success[r] : mean;
      }
      const earned = solved.map((s, r) => (isZeroSum ? (valid[r] ? 1 - 2 * s : -1) : valid[r] * (1 - s)));
      const replied = success.map((s) => (isZeroSum ? 2 * s - 1 : s));
      return {
        columns: {
          'reward/total': earned,
          'row/reply-earned': replied,
          'row/reply-counts': valid,
          'row/own-group': groupId.map(() => PROPOSALS),
          'row/reply-group': isZeroSum ? groupId.map(() => REPLIES) : groupId,
        },
        raw: { proposed: earned, replied },
      };
    },
  });
