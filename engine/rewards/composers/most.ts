import * as z from 'zod';
import { counting, defineComposer } from './composer.ts';

/** max weight · value: an answer counts as right if any scorer finds it right, such as a rule or a judge. */
export const most = defineComposer({
  id: 'max',
  title: 'Greatest of them',
  summary: 'The greatest weighted value of an answer: it counts if a rule or a judge accepts it.',
  cites: 'arXiv:2505.17667',
  params: z.strictObject({}),
  open: (_, components) => {
    const all = counting(components);
    return ({ values, rows }) => ({
      total: Float64Array.from({ length: rows }, (__, r) =>
        all.reduce((high, { name, weight }) => Math.max(high, weight * values[name][r]), -Infinity),
      ),
    });
  },
});
