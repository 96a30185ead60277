import * as z from 'zod';
import { range, shared } from '../../kernel/shared.ts';

export const orealParams = z.strictObject({
  groupSize: shared.groupSize.default(16),
  penalty: range.weight.default(1).describe('Weight of the tokens of wrong answers.'),
  even: range.fraction
    .default(0)
    .describe('Part of a token’s weight that is the same for all; 0 is the paper’s.'),
  klWeight: shared.klWeight.default(0.01),
  judgeEpochs: shared.epochs.default(2).describe('Updates of the token reward model on each batch.'),
  epochs: shared.epochs.default(1),
});
