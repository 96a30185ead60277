import * as z from 'zod';
import { defineReward } from './reward.ts';

/**
 * The place of the first loop: the earliest character at which some unit of at most `longest` characters is
 * repeated `times` times in a row. Undefined without a loop.
 */
export const firstLoop = (
  text: string,
  { longest, times }: { readonly longest: number; readonly times: number },
): number | undefined => {
  let first: number | undefined;
  for (let unit = 1; unit <= longest && unit * times <= text.length; unit++) {
    // characters in a row that equal the one a unit before
    let equal = 0;
    for (let at = unit; at < (first ?? Infinity) + unit * times && at < text.length; at++) {
      equal = text[at] === text[at - unit] ? equal + 1 : 0;
      if (equal < unit * (times - 1)) continue;
      const start = at + 1 - unit * times;
      first = Math.min(first ?? start, start);
      break;
    }
  }
  return first;
};

/**
 * Penalty for an answer that loops: −(share of the answer from its first loop on), so that an early loop costs
 * more (CAMPO: Li et al. 2025, arXiv:2507.14683, section 4.2, a repetition penalty by the place where the
 * earliest loop begins).
 */
export const repetition = defineReward({
  id: 'repetition',
  title: 'Repetition',
  summary: 'Penalizes answers that fall into a loop, the earlier the more: from 0 down to −1.',
  params: z.strictObject({
    longest: z.int().min(1).max(200).default(40).describe('Most characters of the repeated part.'),
    times: z
      .int()
      .min(2)
      .max(50)
      .default(4)
      .describe('Repetitions in a row, the first one included, from which on it is a loop.'),
  }),
  scorer: (params) => (rows) =>
    Float64Array.from(rows, ({ completion }) => {
      const start = firstLoop(completion, params);
      return start === undefined ? 0 : start / completion.length - 1;
    }),
});
