import * as z from 'zod';
import { WhetstoneError } from '../common/errors.ts';
import { cosineOfCounts, cosineOfRows, groupsOf, majorityOf, ngrams } from './groups.ts';
import { defineReward, type AnswerRow, type RewardContext } from './reward.ts';
import { partFields, partOf } from './verifiers/match.ts';

/** Similarity of two rows of a batch, 0–1 (−1–1 for features). */
type Similarity = (r: number, s: number) => number;

const similarities = {
  ngrams: async (rows: readonly AnswerRow[], size: number): Promise<Similarity> => {
    const counts = rows.map(({ completion }) => ngrams(completion, size));
    return (r, s) => cosineOfCounts(counts[r], counts[s]);
  },
  features: async (
    rows: readonly AnswerRow[],
    _size: number,
    { initial }: RewardContext,
  ): Promise<Similarity> => {
    if (!initial || rows.length === 0) return () => 0;
    const { values, width } = await initial.features(rows);
    return (r, s) => cosineOfRows(values, width, r, s);
  },
};

/**
 * Novelty of each of `peers` (rows with the same label): 1 − (α · mean similarity to its peers + (1 − α) ·
 * greatest similarity to any row of the group).
 */
const noveltiesOf = (
  peers: readonly number[],
  group: readonly number[],
  alpha: number,
  similarity: Similarity,
): number[] =>
  peers.map((r) => {
    const others = peers.filter((s) => s !== r);
    const all = group.filter((s) => s !== r);
    const mean =
      others.length === 0 ? 0 : others.reduce((sum, s) => sum + similarity(r, s), 0) / others.length;
    return (
      1 -
      (alpha * mean + (1 - alpha) * (all.length === 0 ? 0 : Math.max(...all.map((s) => similarity(r, s)))))
    );
  });

/** Scales values to 0–1 between the smallest and the largest; 0 if these are equal up to rounding. */
const spread = (values: readonly number[]): number[] => {
  const [least, most] = [Math.min(...values), Math.max(...values)];
  return values.map((value) => (most - least > 1e-9 ? (value - least) / (most - least) : 0));
};

/**
 * The majority selects, novelty varies (EVOL-RL: Zhou et al. 2025, arXiv:2509.15194, §3): a majority answer
 * earns ½ to 1, any other −1 to −½, by its novelty among those of its own label; one without a readable
 * answer earns −1. Similarity is of character n-grams, or of the initial model's features.
 */
export const evol = defineReward({
  id: 'evol',
  title: 'Majority and novelty',
  summary:
    'Agreement with the group’s majority, and more for an answer in different words: keeps ' +
    'answers diverse without a reference.',
  params: z.strictObject({
    ...partFields,
    likeness: z
      .enum(['ngrams', 'features'])
      .default('ngrams')
      .describe(
        'Similarity of two answers: by their character n-grams, or by the features of the run’s ' +
          'initial model.',
      ),
    size: z.int().min(1).max(16).default(3).describe('Characters of an n-gram.'),
    alpha: z
      .number()
      .min(0)
      .max(1)
      .default(0.5)
      .describe(
        'Weight of the mean similarity to answers of the same label; the rest is the greatest ' +
          'similarity to any answer of the group.',
      ),
  }),
  compares: true,
  scorer: (params, context) => {
    if (params.likeness === 'features' && !context.initial)
      throw new WhetstoneError(
        'unsupported',
        'Similarity by features needs the run’s initial model, and there is none.',
        { where: 'rewards: evol.likeness', hint: 'Choose n-grams.' },
      );
    return async (rows) => {
      const scores = new Float64Array(rows.length).fill(-1);
      const votes = rows.map(({ completion }) => partOf(completion, params));
      const similarity = await similarities[params.likeness](rows, params.size, context);
      for (const group of groupsOf(rows)) {
        const winners = majorityOf(group.map((r) => votes[r]));
        const readable = group.filter((r) => votes[r] !== null);
        for (const wins of [true, false]) {
          const peers = readable.filter((r) => winners.has(votes[r] as string) === wins);
          spread(noveltiesOf(peers, group, params.alpha, similarity)).forEach((novelty, at) => {
            scores[peers[at]] = (wins ? 0.5 : -1) + 0.5 * novelty;
          });
        }
      }
      return scores;
    };
  },
});
