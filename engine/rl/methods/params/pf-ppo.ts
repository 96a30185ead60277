import * as z from 'zod';
import { shared } from '../../kernel/shared.ts';
import { ppoParams } from './ppo.ts';

export const pfPpoParams = ppoParams.omit({ gamma: true }).extend({
  groupSize: shared.groupSize.default(8),
  kept: z
    .enum(['best', 'best-random', 'best-worst'])
    .default('best-worst')
    .describe('Answers of a group that are trained on: the best, the best and random ones, or both ends.'),
  keep: z.int().min(1).max(256).default(4).describe('Number of answers per prompt that are trained on.'),
});
