/** Credit of answers that were sampled in rounds. */
import { broadcast } from '../../kernel/rows.ts';
import { stage } from '../../kernel/stage.ts';
import { centered } from './center-by-group.ts';

/**
 * The reward of an answer becomes its gain over a shown one, R(y) − R(y′), less `penalty` if it was cut off
 * or is empty (EvoScale, arXiv:2505.23604, section 3.3). With R as a potential, the gains of all rounds add
 * up to R of the last answer less R of the first, so that one round is enough to train on.
 */
export const gainOverShown = ({ penalty }: { readonly penalty: number }) =>
  stage({
    id: `gainOverShown(${penalty})`,
    station: 'credit',
    needs: ['reward/total', 'row/base', 'ended', 'completion'],
    adds: ['reward/total'],
    run: async ({ 'reward/total': rewards_R, 'row/base': base, ended, completion }) => ({
      columns: {
        'reward/total': rewards_R.map(
          (reward, r) => reward - base[r] - (ended[r] && completion[r] !== '' ? 0 : penalty),
        ),
      },
    }),
  });

/**
 * Advantages of gains, (gain − mean) ÷ deviation: within the batch, in which a gain tells a good answer to a
 * hard prompt from one that is no better than what was shown; or within a group, whose answers were shown the
 * same.
 */
export const creditGains = ({ baseline }: { readonly baseline: 'batch' | 'group' }) =>
  stage({
    id: `creditGains(${baseline})`,
    station: 'credit',
    needs: ['reward/total', 'groupId', 'weight', 'mask'],
    adds: ['advantage'],
    run: async ({ 'reward/total': gain_R, groupId, weight, mask }) => {
      const groups = baseline === 'batch' ? new Float64Array(gain_R.length) : groupId;
      return { columns: { advantage: broadcast(centered(gain_R, groups, weight, 'population'), mask) } };
    },
  });

/**
 * Rewards of two attempts (SCoRe, arXiv:2409.12917). Up to `until` (a share of the run) only the second one
 * is rewarded (eq. 3); then both, and the second with `bonus` × its gain over the first (section 5.2).
 */
export const rewardProgress = ({ bonus, until }: { readonly bonus: number; readonly until: number }) =>
  stage({
    id: `rewardProgress(${bonus}, ${until})`,
    station: 'credit',
    needs: ['reward/total', 'row/base', 'row/round'],
    adds: ['reward/total'],
    run: async ({ 'reward/total': rewards_R, 'row/base': base, 'row/round': round }, { progress }) => {
      const isFirstStage = progress < until;
      return {
        columns: {
          'reward/total': rewards_R.map((reward, r) => {
            if (round[r] === 0) return isFirstStage ? 0 : reward;
            return isFirstStage ? reward : reward + bonus * (reward - base[r]);
          }),
        },
      };
    },
  });

/**
 * The weight of each answer’s divergence: `first` on first attempts up to `until` (a share of the run),
 * `later` on all others (SCoRe, arXiv:2409.12917, eq. 3 and 4).
 */
export const weighAttempts = ({
  first,
  later,
  until,
}: {
  readonly first: number;
  readonly later: number;
  readonly until: number;
}) =>
  stage({
    id: `weighAttempts(${first}, ${later}, ${until})`,
    station: 'credit',
    needs: ['row/round'],
    adds: ['row/divergence'],
    run: async ({ 'row/round': round }, { progress }) => ({
      columns: { 'row/divergence': round.map((each) => (each === 0 && progress < until ? first : later)) },
    }),
  });

/**
 * Answers of later rounds to be imitated: `row/imitate` is 1 on them and 0 on those of the policy gradient,
 * whose weight they no longer share.
 */
export const imitateRevisions = stage({
  id: 'imitateRevisions',
  station: 'credit',
  needs: ['row/round', 'weight'],
  adds: ['row/imitate', 'weight'],
  run: async ({ 'row/round': round, weight }) => ({
    columns: {
      'row/imitate': round.map((each, r) => (each > 0 ? weight[r] : 0)),
      weight: weight.map((w, r) => (round[r] > 0 ? 0 : w)),
    },
  }),
});

/** Separates the advantages of later rounds, `credit/revised`, from those of first answers, `advantage`. */
export const splitRevised = stage({
  id: 'splitRevised',
  station: 'credit',
  needs: ['advantage', 'row/round'],
  adds: ['advantage', 'credit/revised'],
  run: async ({ advantage, 'row/round': round }) => {
    const only = (wanted: (round: number) => boolean) => {
      const values = advantage.values.slice();
      round.forEach((each, r) => {
        if (!wanted(each)) values.fill(0, advantage.offsets[r], advantage.offsets[r + 1]);
      });
      return { ...advantage, values };
    };
    return {
      columns: { advantage: only((each) => each === 0), 'credit/revised': only((each) => each > 0) },
    };
  },
});
