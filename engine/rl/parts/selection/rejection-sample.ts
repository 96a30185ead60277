import type { RandomStream } from '../../../random/random.ts';
import { stage } from '../../kernel/stage.ts';
import { groupsOf } from '../math/groups.ts';

/**
 * Statistical rejection sampling without replacement (arXiv:2309.06657, algorithm 1): accepts candidates
 * with probability exp((r − r_max) ⁄ β), r_max being the highest reward of those left, until there are
 * `count`. With many candidates, the accepted ones follow π_ref · exp(r ⁄ β).
 */
export const accepted = (
  rewards: ArrayLike<number>,
  { count, beta }: { readonly count: number; readonly beta: number },
  random: Pick<RandomStream, 'next'>,
): number[] => {
  let left = Array.from(rewards, (_, i) => i);
  const passed: number[] = [];
  while (passed.length < count && left.length > 0) {
    const top = Math.max(...left.map((i) => rewards[i]));
    const kept: number[] = [];
    for (const i of left) {
      if (passed.length < count && random.next() < Math.exp((rewards[i] - top) / beta)) passed.push(i);
      else kept.push(i);
    }
    left = kept;
  }
  return passed;
};

/** Each group's accepted answers, in order of acceptance. */
export const rejectionSample = ({ count, beta }: { readonly count: number; readonly beta: number }) =>
  stage({
    id: `rejectionSample(${count}, ${beta})`,
    station: 'selection',
    needs: ['groupId', 'reward/total'],
    adds: [],
    run: async ({ groupId, 'reward/total': rewards_R }, context) => {
      const random = context.random('rejection sampling');
      return {
        columns: {},
        from_R: Uint32Array.from(
          groupsOf(groupId).flatMap((rows) =>
            accepted(
              rows.map((r) => rewards_R[r]),
              { count, beta },
              random,
            ).map((i) => rows[i]),
          ),
        ),
      };
    },
  });
