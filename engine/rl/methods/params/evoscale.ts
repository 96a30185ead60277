import * as z from 'zod';
import { range, shared } from '../../kernel/shared.ts';
import { templates } from '../../parts/math/templates.ts';

export const evoscaleParams = z.strictObject({
  attempts: z.int().min(1).max(32).default(3).describe('Answers of the initial model that a prompt shows.'),
  groupSize: z.int().min(1).max(256).default(4).describe('New answers to each such prompt.'),
  penalty: range.weight.default(0.2).describe('Subtracted for an answer that is empty or was cut off.'),
  clip: shared.clip.default(0.2),
  baseline: z
    .enum(['batch', 'group'])
    .default('batch')
    .describe(
      'Whether gains are compared within the batch, or with the others to the same prompt, whose ' +
        'shown answers are the same.',
    ),
  average: shared.average.default('sequence'),
  epochs: shared.epochs.default(1),
  shown: templates.shown.default('{prompt}{attempts}'),
  attempt: templates.attempt.default('{attempt};'),
});
