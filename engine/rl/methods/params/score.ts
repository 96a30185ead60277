import * as z from 'zod';
import { range, shared } from '../../kernel/shared.ts';
import { templates } from '../../parts/math/templates.ts';

export const scoreParams = z.strictObject({
  groupSize: shared.groupSize.default(4),
  bonus: range.weight.default(10).describe('Bonus of the second attempt per unit of gain over the first.'),
  stageOne: range.fraction.default(0.3).describe('Share of the run in which only the second attempt counts.'),
  holdFirst: range.weight
    .default(0.1)
    .describe('Weight of the divergence of first attempts from the initial policy in that stage.'),
  klWeight: shared.klWeight.default(0.01),
  shown: templates.shown.default('{prompt}{attempts}'),
  attempt: templates.attempt.default('{attempt};'),
});
