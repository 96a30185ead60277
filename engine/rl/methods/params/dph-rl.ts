import * as z from 'zod';
import { range, shared } from '../../kernel/shared.ts';

export const dphRlParams = z.strictObject({
  groupSize: shared.groupSize.default(8),
  clip: shared.clip.default(0.2),
  clipHigh: shared.clipHigh.default(0.28),
  scaleBy: shared.scaleBy.default('sample'),
  divergence: z
    .enum(['jensen-shannon', 'forward'])
    .default('jensen-shannon')
    .describe('The divergence from the stored answers; both cover all that the initial policy does.'),
  divergenceWeight: range.weight.default(0.2).describe('Weight of that divergence.'),
  presample: range.updates
    .default(16)
    .describe('Batches of prompts that the initial policy answers before the run; none is a step.'),
  solvedFrom: range.fraction
    .default(0.99)
    .describe('Share of right answers from which a prompt is solved: it is rehearsed, and not explored.'),
  rehearsal: range.fraction.default(0.5).describe('Stored answers in a batch, as a share of the fresh ones.'),
  capacity: z.int().min(1).max(100_000).default(4096).describe('Stored answers that are kept: the newest.'),
  epochs: shared.epochs.default(1),
});
