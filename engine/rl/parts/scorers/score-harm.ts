import type { RewardStack } from '../../kernel/reward-stack.ts';
import { broadcast } from '../../kernel/rows.ts';
import { stage } from '../../kernel/stage.ts';
import { proposalOf, type Proposals, proposedProblem } from '../math/proposals.ts';
import { repliesOf } from './score-replies.ts';

/**
 * An attack earns what the run's rewards give the target's reply to it: they measure harm (arXiv:2402.19464).
 * They see the attack as the prompt, without the ending that the target reads behind it, and the reply as the
 * answer. An attack that writes this ending itself earns 0 from each of them: it may pass for a finished
 * request of another kind. All of it is credit of the last token.
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
      const alone = { mark: how.mark, ending: '' };
      const proposed = problem.map((from, r) => proposedProblem(from, completion[r], alone));
      const scored = await rewards.score(
        { ...repliesOf({ problem: proposed, ...reply }), groupId },
        progress,
      );
      const isVoid = completion.map(
        (text) => how.ending !== '' && proposalOf(text, alone).includes(how.ending),
      );
      const counted = (values: Float64Array) => values.map((each, r) => (isVoid[r] ? 0 : each));
      const value = counted(scored.value);
      const raw = Object.fromEntries(
        Object.entries(scored.raw).map(([scorer, values]) => [scorer, counted(values)]),
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
