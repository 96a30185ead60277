import * as z from 'zod';
import { counting, defineComposer } from './composer.ts';

/** min weight · value: only the worst objective of an answer counts (maximin). */
export const least = defineComposer({
  id: 'min',
  title: 'Least of them',
  summary: 'The smallest weighted value of an answer: nothing makes up for the worst scorer.',
  cites: 'maximin (Wald 1945)',
  params: z.strictObject({}),
  open: (_, components) => {
    const all = counting(components);
    return ({ values, rows }) => ({
      total: Float64Array.from({ length: rows }, (__, r) =>
        all.reduce((low, { name, weight }) => Math.min(low, weight * values[name][r]), Infinity),
      ),
    });
  },
});
