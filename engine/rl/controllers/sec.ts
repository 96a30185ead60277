import * as z from 'zod';
import type { Problem } from '../kernel/columns.ts';
import { defineController } from '../kernel/control.ts';
import { centered } from '../parts/credit/center-by-group.ts';
import { maskedCounts, maskedSums, type Table } from '../kernel/rows.ts';
import type { PerToken } from '../kernel/columns.ts';
import { levelOf } from './outcomes.ts';

interface Credited {
  readonly problem?: readonly Problem[];
  readonly groupId?: Float64Array;
  readonly weight?: Float64Array;
  readonly mask?: PerToken<Uint8Array>;
  readonly advantage?: PerToken<Float64Array>;
  readonly 'reward/total'?: Float64Array;
}

/**
 * |advantage| of each row: the mean over its tokens, or against its group if the recipe has no credit (yet);
 * undefined if the rows were not scored.
 */
const absoluteAdvantages = (table: Table): Float64Array | undefined => {
  const { mask, advantage, groupId, weight, 'reward/total': rewards_R } = table as Credited;
  if (advantage && mask) {
    const counts = maskedCounts(mask);
    return maskedSums({ ...advantage, values: advantage.values.map(Math.abs) }, mask).map(
      (sum, r) => sum / Math.max(1, counts[r]),
    );
  }
  return rewards_R && groupId && weight
    ? centered(rewards_R, groupId, weight, 'sample').map(Math.abs)
    : undefined;
};

const Saved = z.object({ values: z.array(z.tuple([z.number(), z.number()])) });

/** Samples levels with probability proportional to exp(value ÷ temperature). */
const drawn = (
  levels: readonly number[],
  value: (level: number) => number,
  temperature: number,
  u: number,
): number => {
  const most = Math.max(...levels.map(value));
  const weights = levels.map((level) => Math.exp((value(level) - most) / temperature));
  let left = u * weights.reduce((a, b) => a + b, 0);
  return levels[
    Math.max(
      0,
      weights.findIndex((weight) => (left -= weight) < 0),
    )
  ];
};

/**
 * A bandit over levels of difficulty (Chen et al. 2025, arXiv:2505.14970): a level's gain is the mean
 * |advantage| of its rows, its value follows by Q ← rate · gain + (1 − rate) · Q, and levels are sampled in
 * proportion to exp(Q ÷ temperature).
 */
export const sec = defineController({
  id: 'sec',
  title: 'Self-evolving curriculum',
  summary:
    'Samples levels more often if their answers differ most in reward: neither too easy nor too ' +
    'hard. For tasks with levels.',
  cites: 'arXiv:2505.14970',
  params: z.strictObject({
    rate: z
      .number()
      .positive()
      .max(1)
      .default(0.5)
      .describe('How fast a level’s value follows its latest gain.'),
    temperature: z
      .number()
      .positive()
      .max(100)
      .default(0.4)
      .describe('Temperature of the sampling of levels: near 0 always the best one, large: uniform.'),
  }),
  open: ({ rate, temperature }) => {
    let values = new Map<number, number>();
    const value = (level: number) => values.get(level) ?? 0;
    return {
      choose: (candidates, batch, turn) => {
        const waiting = [...Map.groupBy(candidates, levelOf)]
          .sort(([a], [b]) => a - b)
          .map(([level, problems]) => ({ level, problems: problems.slice() }));
        const random = turn.random('levels');
        return Array.from({ length: batch }, () => {
          const left = waiting.filter(({ problems }) => problems.length > 0);
          const level = drawn(
            left.map((one) => one.level),
            value,
            temperature,
            random.next(),
          );
          return left.find((one) => one.level === level)?.problems.shift() ?? candidates[0];
        });
      },
      observe: (table) => {
        const { problem } = table as Credited;
        const gains = absoluteAdvantages(table);
        if (!problem || !gains) return;
        for (const [level, rows] of Map.groupBy([...problem.keys()], (r) => levelOf(problem[r]))) {
          const gain = rows.reduce((sum, r) => sum + gains[r], 0) / rows.length;
          values.set(level, rate * gain + (1 - rate) * value(level));
        }
      },
      metrics: () => Object.fromEntries([...values].map(([level, q]) => [`level-${level}`, q])),
      state: () => ({ values: [...values] }),
      restore: (saved) => {
        values = new Map(Saved.parse(saved).values);
      },
    };
  },
});
