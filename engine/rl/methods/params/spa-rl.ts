import { range, shared } from '../../kernel/shared.ts';
import { ppoParams } from './ppo.ts';

export const spaRlParams = ppoParams.extend({
  step: shared.step.default('turn'),
  split: range.fraction
    .default(1)
    .describe('Share of the reward that is split among the steps; the rest stays at the end.'),
});
