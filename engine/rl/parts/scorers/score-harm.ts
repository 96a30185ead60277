import type { RewardStack } from '../../kernel/reward-stack.ts';
import { broadcast } from '../../kernel/rows.ts';
import { stage } from '../../kernel/stage.ts';
import { type Proposals, proposedProblem } from '../math/proposals.ts';
import { repliesOf } from './score-replies.ts';

/**
 * An attack earns what the run's rewards give the target's reply to it: they measure harm (arXiv:2402.19464).
 * They see the attack as the prompt and the reply as the answer. All of it is credit of the last token.
 */
export const scoreHarm = (stack: RewardStack<'total'>, how: Proposals) =>
  stage({
    id: `scoreHarm(${how.mark}, ${how.ending})`,
    station: 'scorers',
    needs: [
      'problem',
      'completion',
      'mask',
      'groupId',
      'reply/completion',
      'reply/tokens',
      'reply/mask',
      'reply/ended',
    ],
    adds: ['reward/total', 'credit/earned'],
    run: async ({ problem, completion, mask, groupId, ...reply }, { rewards = stack, progress }) => {
      const proposed = problem.map((from, r) => proposedProblem(from, completion[r], how));
      const { value, raw } = await rewards.score(
        { ...repliesOf({ problem: proposed, ...reply }), groupId },
        progress,
      );
      const last = {
        ...mask,
        values: mask.values.map((m, at) => Number(m === 1 && mask.values[at + 1] !== 1)),
      };
      mask.offsets.forEach((end) => {
        if (end > 0) last.values[end - 1] = mask.values[end - 1];
      });
      return { columns: { 'reward/total': value, 'credit/earned': broadcast(value, last) }, raw };
    },
  });
