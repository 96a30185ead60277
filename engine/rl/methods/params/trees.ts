import * as z from 'zod';
import { range, shared } from '../../kernel/shared.ts';

/** Parameters of methods that search a tree of answers while they train. */
export const treeFields = {
  groupSize: range.answers.default(16).describe('Answers in the tree of a prompt.'),
  width: z
    .int()
    .min(1)
    .max(64)
    .default(4)
    .describe('Answers sampled from a state before the next one is chosen.'),
  explore: range.weight.default(0.5).describe('Weight of what is little tried, against what is worth much.'),
  step: shared.step.default('line'),
};

/** Columns of a tree that its critic learns from. */
export const treeColumns = ['tokens', 'mask', 'weight', 'returns'] as const;
