import * as z from 'zod';
import { defineController } from '../kernel/control.ts';
import type { Table } from '../kernel/rows.ts';

interface Sampled {
  readonly groupId?: Float64Array;
  readonly completion?: readonly string[];
  readonly 'reward/total'?: Float64Array;
}

/**
 * Balance of exploration and exploitation of a batch (B-STaR: Zeng et al. 2024, arXiv:2412.17256, the
 * balance score), mean over the prompts of min(n′ ⁄ n*, 1) · n′ ⁄ n: n answers are selected (reward at or
 * above the threshold), n′ of them are distinct and right (reward at or above `right`), and n* is the target
 * number.
 */
export const balanceOf = (
  table: Table,
  threshold: number,
  right: number,
  target: number,
): number | undefined => {
  const { groupId, completion, 'reward/total': rewards_R } = table as Sampled;
  if (!groupId || !completion || !rewards_R || groupId.length === 0) return undefined;
  const groups = [...Map.groupBy([...groupId.keys()], (r) => groupId[r]).values()];
  return (
    groups.reduce((sum, rows) => {
      const selected = rows.filter((r) => rewards_R[r] >= threshold);
      const n = selected.length;
      const good = new Set(selected.filter((r) => rewards_R[r] >= right).map((r) => completion[r])).size;
      return sum + (n === 0 ? 0 : (Math.min(good / target, 1) * good) / n);
    }, 0) / groups.length
  );
};

const Saved = z.object({ scores: z.array(z.array(z.number().nullable())), batch: z.int().min(0) });

/**
 * Sets temperature and threshold by the balance score during the run: every `hold` batches it tries each
 * temperature on one batch, and then holds the best pair. One batch scores all thresholds. The threshold
 * acts only in recipes that imitate their own answers.
 */
export const bStar = defineController({
  id: 'b-star',
  title: 'Balance of exploration and exploitation',
  summary:
    'Tries temperatures and thresholds now and then, and keeps those whose answers are right, ' +
    'diverse and selected with few mistakes.',
  cites: 'arXiv:2412.17256',
  params: z.strictObject({
    temperatures: z
      .array(z.number().positive().max(3))
      .min(1)
      .max(12)
      .default([0.8, 1, 1.2])
      .describe('Multiples of the run’s temperature that are tried.'),
    thresholds: z
      .array(z.number())
      .min(1)
      .max(12)
      .default([0, 0.5, 1])
      .describe('Least rewards of a selected answer that are tried.'),
    right: z.number().default(1).describe('Reward from which an answer counts as right.'),
    wanted: z
      .int()
      .min(1)
      .max(256)
      .default(4)
      .describe('Target number of distinct right answers per prompt.'),
    hold: z
      .int()
      .min(0)
      .max(10_000)
      .default(10)
      .describe('Batches that the best pair is held before the next trial.'),
    smoothing: z
      .number()
      .min(0)
      .max(0.99)
      .default(0.5)
      .describe('Share of its earlier score that a pair keeps at a new trial.'),
  }),
  open: ({ temperatures, thresholds, right, wanted, hold, smoothing }) => {
    let scores: (number | null)[][] = temperatures.map(() => thresholds.map(() => null));
    let batch = 0;
    const best = (): readonly [heat: number, floor: number] => {
      const all = scores.flatMap((row, heat) =>
        row.map((score, floor) => ({ heat, floor, score: score ?? -1 })),
      );
      const { heat, floor } = all.reduce((most, one) => (one.score > most.score ? one : most));
      return [heat, floor];
    };
    /** The temperature and threshold of this batch. */
    const now = (): readonly [heat: number, floor: number] => {
      const turn = batch % (temperatures.length + hold);
      const [heat, floor] = best();
      return turn < temperatures.length ? [turn, floor] : [heat, floor];
    };
    return {
      temperature: () => temperatures[now()[0]],
      threshold: () => thresholds[now()[1]],
      observe: (table) => {
        const [heat] = now();
        thresholds.forEach((threshold, floor) => {
          const found = balanceOf(table, threshold, right, wanted);
          const before = scores[heat][floor];
          if (found !== undefined)
            scores[heat][floor] = before === null ? found : smoothing * before + (1 - smoothing) * found;
        });
        batch++;
      },
      metrics: () => {
        const [heat, floor] = now();
        const score = scores[heat][floor];
        return {
          temperature: temperatures[heat],
          threshold: thresholds[floor],
          ...(score !== null && { balance: score }),
        };
      },
      state: () => ({ scores, batch }),
      restore: (saved) => {
        ({ scores, batch } = Saved.parse(saved));
      },
    };
  },
});
