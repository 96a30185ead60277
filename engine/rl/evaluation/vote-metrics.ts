/** Accuracy of judges that vote, by the number of votes. */
import { mean } from '../../evaluate/index.ts';
import { combine, type Parts } from '../../rewards/combine.ts';
import type { Graded } from '../tasks/task-data.ts';

/**
 * Accuracy of the majority of the first 1, 2, 4 … `samples` votes on each answer (votes@k); a tie counts half.
 */
export const voteMetrics = (
  { values }: Parts,
  graded: readonly Graded[],
  samples: number,
): { [metric: string]: number } => {
  const doubled = Array.from({ length: Math.floor(Math.log2(samples)) + 1 }, (_, power) => 2 ** power);
  return Object.fromEntries(
    [...new Set([...doubled, samples])].map((k) => [
      `eval/votes/accuracy@${k}`,
      mean(
        graded.map(({ right }, r) => {
          const votes = values.subarray(r * samples, r * samples + k);
          const vote = combine({ how: 'majority', caution: 0 }, votes);
          return right ? vote : 1 - vote;
        }),
      ),
    ]),
  );
};
