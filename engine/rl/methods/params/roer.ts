import * as z from 'zod';
import { range, replay, shared } from '../../kernel/shared.ts';

export const roerParams = z.strictObject({
  groupSize: shared.groupSize.default(8),
  beta: range.positive.default(1).describe('Temperature of the priorities and of the soft value.'),
  rate: range.fraction.default(0.1).describe('How far a replay moves a priority.'),
  bound: z.number().min(1).max(100).default(4).describe('Bound of the ratio by which one replay changes it.'),
  cap: range.positive.default(2).describe('Bound of the importance weight of an earlier answer.'),
  correct: z
    .enum(['truncated', 'none'])
    .default('truncated')
    .describe('Whether earlier answers are weighed by their importance.'),
  share: replay.share.default(1),
  capacity: replay.capacity.default(1024),
  maxAge: replay.maxAge.default(8),
});
