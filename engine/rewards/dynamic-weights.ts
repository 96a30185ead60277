import * as z from 'zod';
import { innerReward, memoryOf, openInner } from './inner.ts';
import { defineReward } from './reward.ts';

const objective = innerReward.extend({
  low: z.number().default(0).describe('Value that counts as 0.'),
  high: z.number().default(1).describe('Value that counts as 1.'),
});
const Saved = z.object({
  logs: z.array(z.number()),
  means: z.array(z.number().nullable()),
  inner: z.array(z.unknown()),
});

/**
 * Several objectives with adaptive weights (arXiv:2509.11452 adapts them too, by hypervolume or by
 * gradients): lagging objectives gain weight. Each objective is scaled to 0–1 between `low` and `high`;
 * after each batch log w += rate · (1 − its smoothed mean), and the weights are scaled to the sum of 1, none
 * below `least`: multiplicative weights (Freund and Schapire 1999) for the worst objective, whose fixed
 * points raise the least of the means.
 */
export const dynamicWeights = defineReward({
  id: 'dynamic-weights',
  title: 'Several objectives, adaptive weights',
  summary:
    'A weighted mean of other rewards whose weights shift, batch by batch, to the objectives ' +
    'that lag behind.',
  params: z.strictObject({
    rewards: z
      .array(objective)
      .min(1)
      .max(12)
      .describe('The objectives: a reward each, and the range that is scaled to 0 to 1.'),
    rate: z.number().min(0).max(10).default(0.1).describe('How fast weights move; 0: they stay equal.'),
    smoothing: z
      .number()
      .min(0)
      .max(0.999)
      .default(0.8)
      .describe('Share of the earlier mean that each batch keeps.'),
    least: z
      .number()
      .min(0)
      .max(1)
      .default(0.05)
      .describe('Least weight of an objective, as a share of an equal one.'),
  }),
  compares: true,
  inner: ({ rewards }) => rewards.map(({ id, params }, at) => ({ path: `rewards.${at}`, id, params })),
  scorer: async ({ rewards, rate, smoothing, least }, context) => {
    const scorers = await Promise.all(
      rewards.map((one) => openInner(context, { id: one.id, params: one.params }, 'dynamic-weights')),
    );
    const memory = memoryOf(scorers);
    let logs = rewards.map(() => 0);
    let means: (number | null)[] = rewards.map(() => null);
    const weights = (): number[] => {
      const top = Math.max(...logs);
      const raw = logs.map((log) => Math.exp(log - top));
      const sum = raw.reduce((a, b) => a + b, 0);
      return raw.map((weight) => (least + (1 - least) * (weight / sum) * rewards.length) / rewards.length);
    };
    return {
      score: async (rows) => {
        const scores = new Float64Array(rows.length);
        const now = weights();
        for (const [k, scorer] of scorers.entries()) {
          const { low, high } = rewards[k];
          const reached = (await scorer.score(rows)).map((value) => (value - low) / (high - low));
          reached.forEach((value, r) => {
            scores[r] += now[k] * value;
          });
          if (rows.length === 0) continue;
          const mean = reached.reduce((a, b) => a + b, 0) / rows.length;
          means[k] = smoothing * (means[k] ?? mean) + (1 - smoothing) * mean;
          logs[k] += rate * (1 - means[k]);
        }
        const top = Math.max(...logs);
        logs = logs.map((log) => log - top);
        return scores;
      },
      state: () => ({ logs, means, inner: memory.state() }),
      restore: (saved: unknown) => {
        const { inner, ...own } = Saved.parse(saved);
        ({ logs, means } = own);
        memory.restore(inner);
      },
    };
  },
});
