/** Rewards of replies, and of the answers that they reply to. */
import type { Columns } from '../../kernel/columns.ts';
import type { RewardStack } from '../../kernel/reward-stack.ts';
import { stage } from '../../kernel/stage.ts';
import { type Proposals, proposedProblem } from '../math/proposals.ts';

type Stack = RewardStack<'total'>;

/** The replies as answers, which a stack scores. */
export const repliesOf = (
  rows: Pick<Columns, 'problem' | 'reply/tokens' | 'reply/mask' | 'reply/completion' | 'reply/ended'>,
) => ({
  problem: rows.problem,
  completion: rows['reply/completion'],
  tokens: rows['reply/tokens'],
  mask: rows['reply/mask'],
  ended: rows['reply/ended'],
});

/**
 * Answer and reply are answers to one problem, and both earn the sum of their rewards (arXiv:2410.06101, the
 * collective reward).
 */
export const scoreTogether = (stack: Stack) =>
  stage({
    id: 'scoreTogether',
    station: 'scorers',
    needs: [
      'problem',
      'completion',
      'tokens',
      'mask',
      'ended',
      'groupId',
      'reply/completion',
      'reply/tokens',
      'reply/mask',
      'reply/ended',
    ],
    adds: ['reward/total'],
    run: async ({ groupId, ...rows }, { rewards = stack, progress }) => {
      const own = (await rewards.score({ ...rows, groupId }, progress)).value;
      const partner = (await rewards.score({ ...repliesOf(rows), groupId }, progress)).value;
      return {
        columns: { 'reward/total': own.map((reward, r) => reward + partner[r]) },
        raw: { own, partner },
      };
    },
  });

/**
 * `row/success`: the reward of each reply, clipped to 0–1, as an answer to the problem that the row proposes.
 * `row/valid` is 1 if the expected answer of the original problem is right for the proposed one: it is a
 * problem, and kept its answer. Without an expected answer that is not checked.
 */
export const scoreProposals = (stack: Stack, { mark, ending }: Proposals) =>
  stage({
    id: `scoreProposals(${mark}, ${ending})`,
    station: 'scorers',
    needs: [
      'problem',
      'completion',
      'tokens',
      'mask',
      'reply/completion',
      'reply/tokens',
      'reply/mask',
      'reply/ended',
    ],
    adds: ['row/success', 'row/valid'],
    run: async ({ problem, completion, tokens, mask, ...reply }, { rewards = stack, progress }) => {
      const proposed = problem.map((from, r) => proposedProblem(from, completion[r], { mark, ending }));
      const ended = new Float64Array(problem.length).fill(1);
      const success = await rewards.score(repliesOf({ problem: proposed, ...reply }), progress);
      const expected = problem.map(({ reference }) => reference ?? '');
      const kept = await rewards.score(
        { problem: proposed, completion: expected, tokens, mask, ended },
        progress,
      );
      const valid = kept.value.map((reward, r) => Number(problem[r].reference === null || reward > 0.5));
      return {
        columns: {
          'row/success': success.value.map((reward) => Math.min(1, Math.max(0, reward))),
          'row/valid': valid,
        },
        raw: { valid },
      };
    },
  });
