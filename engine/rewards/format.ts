import * as z from 'zod';
import { defineReward } from './reward.ts';

/**
 * Format without content, one third each: there is an answer line; it is the only one and the last; no line
 * is repeated.
 */
export const format = defineReward({
  id: 'format',
  title: 'Format',
  summary:
    'One answer line, nothing after it, no repeated lines, and an end within the limit. ' +
    'Independent of correctness.',
  params: z.strictObject({
    marker: z.string().min(1).max(20).default('#').describe('How the answer line begins.'),
  }),
  scorer:
    ({ marker }) =>
    (rows) =>
      Float64Array.from(rows, ({ completion, stopReason }) => {
        const lines = completion.split('\n');
        const answers = lines.flatMap((line, at) =>
          line.startsWith(marker) && line.length > marker.length ? [at] : [],
        );
        if (answers.length === 0) return 0;
        const endsThere = answers.length === 1 && answers[0] === lines.length - 1 && stopReason === 'end';
        const noneTwice = new Set(lines).size === lines.length;
        return (1 + Number(endsThere) + Number(noneTwice)) / 3;
      }),
});
