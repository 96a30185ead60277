import * as z from 'zod';
import { range } from '../../kernel/shared.ts';
import { controlPpoParams } from './control-ppo.ts';

const earnedWeight = range.weight.describe(
  'Weight of credit for what the world rewards; 0: it does not count.',
);
const bonusWeight = range.weight.describe('Weight of credit for bonuses.');
const bonusGamma = range.fraction.default(0.99).describe('Discount of later bonuses.');

/**
 * Fixed beside bonuses: advantages are whitened, values are clipped as ratios are, and a cut episode has its
 * value.
 */
const ppo = controlPpoParams.omit({ whiten: true, valueClip: true, atLimit: true });

/** PPO in a control world with bonuses for novelty, with the weights of Burda et al. */
export const rndParams = ppo.extend({
  earnedWeight: earnedWeight.default(2),
  bonusWeight: bonusWeight.default(1),
  bonusGamma,
});

/** PPO in a control world with bonuses along random directions, with the weights of Mahankali et al. */
export const rleParams = ppo.extend({
  earnedWeight: earnedWeight.default(1),
  bonusWeight: bonusWeight.default(0.01),
  bonusGamma,
  follow: z
    .number()
    .min(1e-6)
    .max(1)
    .default(0.005)
    .describe('Share by which the random network moves towards the critic in each update.'),
});
