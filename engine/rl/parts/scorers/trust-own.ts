import { stage } from '../../kernel/stage.ts';

/** 1 for the scores above the median: half of them, where no two are equal. */
export const aboveMedian = (scores: ArrayLike<number>): Float64Array => {
  const sorted = Float64Array.from(scores).sort();
  const n = sorted.length;
  const median = n === 0 ? 0 : (sorted[Math.floor((n - 1) / 2)] + sorted[Math.floor(n / 2)]) / 2;
  return Float64Array.from(scores, (score) => Number(score > median));
};

/**
 * Mixes a verdict with the student's own: target (1 − α)·label + α·[score above the batch's median], with α
 * growing from 0 to `most` over the first `warmup` of the run. Cross-entropy is linear in its target, so that
 * it is then the auxiliary confidence loss (1 − α)·CE(f, weak) + α·CE(f, f̂_t) (arXiv:2312.09390, section
 * 4.3.2 and appendix A.4; the threshold t is such that half of the batch is above it). Scores are those of the
 * student before the update, without gradient.
 */
export const trustOwn = ({ most, warmup }: { readonly most: number; readonly warmup: number }) =>
  stage({
    id: `trustOwn(${most}, ${warmup})`,
    station: 'scorers',
    needs: ['tokens', 'reward/total', 'model/policy'],
    adds: ['reward/total', 'row/own'],
    run: async ({ tokens, 'reward/total': weak_R, 'model/policy': student }, { progress }) => {
      const own_R = aboveMedian(await student.scores(tokens));
      const alpha = most * (warmup === 0 ? 1 : Math.min(1, progress / warmup));
      return {
        columns: {
          'reward/total': weak_R.map((label, r) => (1 - alpha) * label + alpha * own_R[r]),
          'row/own': own_R,
        },
      };
    },
  });
