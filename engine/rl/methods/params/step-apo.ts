import * as z from 'zod';
import { range, shared } from '../../kernel/shared.ts';
import { treeFields } from './trees.ts';

export const stepApoParams = z.strictObject({
  ...treeFields,
  select: z
    .enum(['critic', 'bounds'])
    .default('critic')
    .describe('Values that guide the search: the critic’s, or those backed up from rewards.'),
  gap: range.fraction.default(0.1).describe('A pair’s values differ by more than this.'),
  beta: shared.beta.default(0.1),
  scale: range.weight
    .default(1)
    .describe('How much of the difference of advantages a pair’s margin must exceed; 0: DPO on steps.'),
  criticEpochs: z.int().min(1).max(16).default(2).describe('Updates of the critic on each batch of trees.'),
});
