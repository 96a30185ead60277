import * as z from 'zod';
import * as part from '../../parts/index.ts';
import { range } from '../../kernel/shared.ts';
import { pipe } from '../../kernel/stage.ts';
import type { Tasks } from '../../tasks/kinds/index.ts';
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

/**
 * Steps with PPO's credit for what the world rewards and credit for a bonus; `across`: later bonuses count
 * beyond the end of an episode.
 */
export const exploringSteps = (
  p: z.output<typeof rndParams>,
  task: Tasks['control'],
  { bonus, across }: { bonus: typeof part.latentBonus | typeof part.predictionBonus; across: boolean },
) =>
  pipe(
    task.act({ ...p, atLimit: 'value' }),
    part.bootstrapped(p),
    part.gae(p),
    bonus,
    part.bonusCredit({ ...p, across }),
    part.whiten({ on: true }),
    part.singleSteps('behaviorLogp', 'values', 'advantage', 'returns', 'credit/bonus', 'credit/bonusReturns'),
  );
