import * as z from 'zod';
import { WhetstoneError } from '../common/errors.ts';
import { innerReward, memoryOf, openInner } from './inner.ts';
import { defineReward, type AnswerRow } from './reward.ts';

/** Prompts whose reference scores are cached; others are computed again. */
const KEPT = 65_536;

const sigmoid = (x: number): number => 1 / (1 + Math.exp(-x));

/**
 * Preference as reward: the probability that the answer is preferred to answers of the run's initial model,
 * mean over m of σ(r − r_m) (Fu et al. 2025, arXiv:2502.18770). It is bounded, steep near the references and
 * flat far above them, which limits over-optimization of the reward model.
 */
export const par = defineReward({
  id: 'par',
  title: 'Preference as reward',
  summary:
    'Another reward, bounded: the mean probability that the answer is preferred to answers of ' +
    'the initial model to the same prompt.',
  params: z.strictObject({
    reward: innerReward.describe('The reward that is bounded; it must score each answer on its own.'),
    references: z.int().min(1).max(64).default(8).describe('Answers of the initial model for each prompt.'),
  }),
  needs: ['initial'],
  inner: ({ reward }) => [{ path: 'reward', ...reward }],
  scorer: async ({ reward, references }, context) => {
    const inner = await openInner(context, reward, 'par');
    if (inner.compares)
      throw new WhetstoneError(
        'invalid-input',
        `'${reward.id}' compares an answer with others, so it cannot compare an answer with ` +
          'reference answers alone.',
        {
          where: 'rewards: par.reward',
          hint: 'Choose a reward that scores each answer on its own, such as a reward model or a verifier.',
        },
      );
    const known = new Map<string, Float64Array>();
    const learn = async (rows: readonly AnswerRow[]): Promise<void> => {
      const fresh = [
        ...new Map(
          rows.filter(({ promptId }) => !known.has(promptId)).map((row) => [row.promptId, row]),
        ).values(),
      ];
      if (fresh.length === 0) return;
      if (known.size + fresh.length > KEPT) known.clear();
      const missing =
        known.size === 0 ? [...new Map(rows.map((row) => [row.promptId, row])).values()] : fresh;
      const scores = await inner.score(await context.initial.answers(missing, references));
      missing.forEach(({ promptId }, at) =>
        known.set(promptId, scores.slice(at * references, (at + 1) * references)),
      );
    };
    return {
      score: async (rows) => {
        await learn(rows);
        const raw = await inner.score(rows);
        return {
          raw,
          value: raw.map(
            (score, r) =>
              (known.get(rows[r].promptId) ?? new Float64Array(0)).reduce(
                (sum, other) => sum + sigmoid(score - other),
                0,
              ) / references,
          ),
        };
      },
      ...(inner.state && memoryOf([inner])),
    };
  },
});
