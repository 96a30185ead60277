import { appendRows, gatherTable, type Table } from '../../kernel/rows.ts';
import { stage } from '../../kernel/stage.ts';
import { replyColumns } from '../math/replies.ts';

const shared = [
  'groupId',
  'sample',
  'weight',
  'tokens',
  'mask',
  'behaviorLogp',
  'completion',
  'ended',
] as const;

/**
 * Answers and the replies to them as rows of one role that writes both: first all answers, then the replies
 * that count, each side with its reward and its groups. `row/side` is 1 on replies. `once`: an answer that
 * was repeated for several replies is one row. Importance weights of truncated sampling are not applied to
 * such rows.
 */
export const bothSides = ({ once = false }: { readonly once?: boolean } = {}) =>
  stage({
    id: `bothSides(${once})`,
    station: 'selection',
    needs: [
      ...shared,
      ...replyColumns,
      'reward/total',
      'row/reply-earned',
      'row/reply-counts',
      'row/own-group',
      'row/reply-group',
    ],
    adds: [...shared, 'row/side', 'reward/total'],
    correctsSampling: true,
    run: async ({ groupId, sample, weight, tokens, mask, behaviorLogp, completion, ended, ...rest }) => {
      const rows = groupId.length;
      const all = Array.from({ length: rows }, (_, r) => r);
      const answers = once ? all.filter((r) => groupId.indexOf(groupId[r]) === r) : all;
      const replies = all.filter((r) => rest['row/reply-counts'][r] > 0);
      const own: Table = {
        tokens,
        mask,
        behaviorLogp,
        completion,
        ended,
        weight,
        sample,
        groupId: rest['row/own-group'],
        'row/side': new Float64Array(rows),
        'reward/total': rest['reward/total'],
      };
      const reply: Table = {
        tokens: rest['reply/tokens'],
        mask: rest['reply/mask'],
        behaviorLogp: rest['reply/behaviorLogp'],
        completion: rest['reply/completion'],
        ended: rest['reply/ended'],
        weight: weight.map(() => 1),
        // numbers of their own: answers and replies to one prompt are different records
        sample: sample.map((number) => number + rows),
        groupId: rest['row/reply-group'],
        'row/side': new Float64Array(rows).fill(1),
        'reward/total': rest['row/reply-earned'],
      };
      const from_R = Uint32Array.from([...answers, ...replies]);
      const columns = appendRows(
        gatherTable(own, Uint32Array.from(answers)),
        gatherTable(reply, Uint32Array.from(replies)),
      );
      return { columns: columns as never, from_R };
    },
  });
