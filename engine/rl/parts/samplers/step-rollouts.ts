import type { RewardStack } from '../../kernel/reward-stack.ts';
import { stage } from '../../kernel/stage.ts';
import { ScoredForest, scoredColumns } from '../math/scored-forest.ts';
import { type Step, stepLengths } from '../math/steps.ts';

/**
 * `groupSize` answers per prompt, and from each step's end of the wrong ones (reward of at most `threshold`)
 * `rollouts` more: they value the steps by Monte Carlo (arXiv:2406.14532, section 4.2).
 */
export const stepRollouts = (
  reward: RewardStack<'total'>,
  {
    groupSize,
    rollouts,
    step,
    threshold,
  }: {
    readonly groupSize: number;
    readonly rollouts: number;
    readonly step: Step;
    readonly threshold: number;
  },
) =>
  stage({
    id: `stepRollouts(${groupSize}, ${rollouts}, ${step})`,
    station: 'sampler',
    continues: true,
    needs: ['problem', 'prompt'],
    adds: scoredColumns,
    run: async ({ problem, prompt }, context) => {
      const search = new ScoredForest({ problem, prompt }, reward, context);
      const trunks = await search.grow(
        problem.flatMap((_, place) => Array.from({ length: groupSize }, () => ({ place }))),
      );
      const wrong = trunks.filter((number) => search.rewards[number] <= threshold);
      await search.grow(
        wrong.flatMap((from) => {
          const { place, answer, given } = search.forest.answers[from];
          return stepLengths(answer, step, context.text)
            .filter((kept) => kept > given && kept < answer.length)
            .flatMap((kept) => Array.from({ length: rollouts }, () => ({ place, from, kept })));
        }),
      );
      return search.change();
    },
  });
