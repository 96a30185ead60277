import * as z from 'zod';
import { openedAt, readByBoth } from './checkpoints.ts';
import { defineReward } from './reward.ts';

const checkpointId = z.string().min(1);

/**
 * The implicit reward of a policy trained on preferences: β · log(π(y|x) / π_ref(y|x)), the reward under
 * which it would be optimal, up to a constant of the prompt (Rafailov et al. 2023, arXiv:2305.18290,
 * equation 5).
 */
export const implicitReward = defineReward({
  id: 'implicit-reward',
  title: 'Implicit reward',
  summary:
    'Log-ratio of the answer between a policy trained on preferences and the policy that it ' +
    'started from.',
  params: z.strictObject({
    checkpointId: checkpointId.describe('Checkpoint of a run that learned from preferences, as DPO does.'),
    reference: z
      .strictObject({ checkpointId: checkpointId.describe('Checkpoint that this run started from.') })
      .describe('The reference policy.'),
    beta: z.number().positive().default(0.1).describe('Weight of the divergence that it was trained with.'),
  }),
  needs: ['policy'],
  scorer: async (params, { policy, where = 'rewards: implicit-reward', ...context }) => {
    const trained = await openedAt(policy, params.checkpointId, `${where}.params.checkpointId`);
    const reference = await openedAt(
      policy,
      params.reference.checkpointId,
      `${where}.params.reference.checkpointId`,
    );
    return async (rows) => {
      const read = readByBoth('implicit-reward', [trained, reference], rows, context);
      const [of, under] = [await trained.score(read), await reference.score(read)];
      return of.map((logp, r) => params.beta * (logp - under[r]));
    };
  },
});
