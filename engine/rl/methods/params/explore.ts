import * as z from 'zod';
import { range } from '../../kernel/shared.ts';
import { controlPpoParams } from './control-ppo.ts';

/** PPO in a control world with bonuses for exploring. */
export const exploreParams = z.strictObject({
  ...controlPpoParams.shape,
  earnedWeight: range.weight.default(1).describe('Weight of credit for what the world rewards; 0: it is unseen.'),
  bonusWeight: range.weight.default(0.01).describe('Weight of credit for bonuses.'),
  bonusGamma: range.fraction.default(0.99).describe('Discount of later bonuses.'),
});

/** The same along random directions. */
export const rleParams = exploreParams.extend({
  follow: range.fraction
    .default(0.005)
    .describe('Share by which the random network moves towards the critic in each update; 0: it stays.'),
});
