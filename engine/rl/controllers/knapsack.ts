import * as z from 'zod';
import { defineController } from '../kernel/control.ts';
import { outcomesOf, SuccessRates } from './outcomes.ts';

/**
 * Value of n answers to a prompt with success rate p: the probability that they differ, 1 − pⁿ − (1 − p)ⁿ,
 * times the expected learning gain, p(1 − p)².
 */
export const worthOf = (n: number, p: number): number => (1 - p ** n - (1 - p) ** n) * p * (1 - p) ** 2;

/**
 * Allocates problems × size answers (Knapsack RL: Li et al. 2025, arXiv:2509.25849, §3): each prompt gets
 * between `least` and `most`, and the sum of values is maximal. From two answers on, each further one adds
 * less, so that a greedy allocation solves the knapsack; ties go to the prompt with fewer answers, then to
 * the earlier one.
 */
export const shared = (rates: readonly number[], total: number, least: number, most: number): number[] => {
  const sizes = rates.map(() => least);
  for (let left = total - least * rates.length; left > 0; left--) {
    let best = -1;
    let gain = -1;
    rates.forEach((p, at) => {
      if (sizes[at] >= most) return;
      const own = worthOf(sizes[at] + 1, p) - worthOf(sizes[at], p);
      if (own > gain + 1e-15 || (Math.abs(own - gain) <= 1e-15 && sizes[at] < sizes[best]))
        [best, gain] = [at, own];
    });
    if (best < 0) break;
    sizes[best]++;
  }
  return sizes;
};

export const knapsack = defineController({
  id: 'knapsack',
  title: 'Answers where they teach',
  summary:
    'Allocates the answers of a batch: more to prompts whose answers will differ, fewer to those ' +
    'that are surely right or wrong.',
  cites: 'arXiv:2509.25849',
  params: z.strictObject({
    least: z
      .int()
      .min(2)
      .max(64)
      .default(2)
      .describe('Fewest answers a prompt; never more than the recipe’s own number.'),
    most: z
      .int()
      .min(2)
      .max(256)
      .default(32)
      .describe('Most answers a prompt; never fewer than the recipe’s own number.'),
    keep: z
      .number()
      .min(0)
      .max(1)
      .default(0.9)
      .describe('Weight of earlier answers in a success rate when the prompt (or its level) comes again.'),
  }),
  open: ({ least, most, keep }) => {
    const rates = new SuccessRates({ keep });
    return {
      sizes: (problems, size) =>
        shared(
          problems.map((problem) => rates.rate(problem)),
          problems.length * size,
          Math.min(least, size),
          Math.max(most, size),
        ),
      observe: (table) => rates.observe(outcomesOf(table)),
      state: () => rates.state(),
      restore: (saved) => rates.restore(saved),
    };
  },
});
