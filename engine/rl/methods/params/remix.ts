import * as z from 'zod';
import { range, replay, shared } from '../../kernel/shared.ts';

export const remixParams = z.strictObject({
  groupSize: shared.groupSize.default(8),
  clip: shared.clip.default(0.2),
  scaleBy: shared.scaleBy.default('sample'),
  share: replay.share.default(1),
  capacity: replay.capacity.default(1024),
  maxAge: replay.maxAge.default(4),
  drawBy: z
    .enum(['even', 'advantage'])
    .default('even')
    .describe('Earlier answers are drawn alike, or by the size of their advantage.'),
  until: range.fraction
    .default(0.5)
    .describe(
      'Share of the run after which only fresh answers count, with the previous policy as their reference.',
    ),
  klWeight: range.weight.default(0.01).describe('Weight of both divergences together.'),
  toInitial: range.fraction
    .default(0.5)
    .describe('Part of it towards the initial policy; the rest is towards the previous one.'),
  epochs: shared.epochs.default(2),
});
