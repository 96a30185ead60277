import { stage } from '../../kernel/stage.ts';

/** Rewards below it are of wrong answers, where rewards are between 0 and 1. */
const RIGHT = 0.5;

/**
 * Weight of the teacher on each row: linear over the run from `from` to `to`; with `onlyWrong` 0 on answers
 * whose reward is at least one half (arXiv:2506.02208, annealing and reward-guided masking).
 */
export const distillWeight = ({
  from,
  to,
  onlyWrong,
}: {
  readonly from: number;
  readonly to: number;
  readonly onlyWrong: boolean;
}) =>
  stage({
    id: `distillWeight(${from}, ${to}${onlyWrong ? ', wrong answers' : ''})`,
    station: 'reference',
    needs: ['reward/total'],
    adds: ['row/distill'],
    run: async ({ 'reward/total': rewards_R }, { progress }) => ({
      columns: {
        'row/distill': rewards_R.map((reward) =>
          onlyWrong && reward >= RIGHT ? 0 : from + (to - from) * progress,
        ),
      },
    }),
  });
