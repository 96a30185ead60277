import * as z from 'zod';
import { openedAt, readByBoth } from './checkpoints.ts';
import { defineReward } from './reward.ts';

const checkpointId = z.string().min(1);

/**
 * Process rewards without step labels: of a model trained by log-ratios on whole answers, q_t = β·Σ_{i ≤ t}
 * log π/π_ref is the expected outcome after t tokens, and a step earns q after it minus q before it, β·Σ log
 * π/π_ref over its own tokens (arXiv:2412.01981; the judge of arXiv:2509.19199). A step is a line. The lines
 * of an answer sum to the implicit reward of the whole.
 */
export const implicitProcessReward = defineReward({
  id: 'implicit-process-reward',
  title: 'Implicit process reward',
  summary:
    'Log-ratio of each line between a policy trained on preferences and the policy that it ' +
    'started from.',
  params: z.strictObject({
    checkpointId: checkpointId.describe(
      'Checkpoint of a run that learned from preferences or from right and wrong answers by log-ratios, as DPO does.',
    ),
    reference: z
      .strictObject({ checkpointId: checkpointId.describe('Checkpoint that this run started from.') })
      .describe('The reference policy.'),
    beta: z.number().positive().default(0.1).describe('Weight of the divergence that it was trained with.'),
  }),
  needs: ['policy'],
  scorer: async (
    { checkpointId: trainedId, reference, beta },
    { policy, where = 'rewards: implicit-process-reward', ...context },
  ) => {
    const trained = await openedAt(policy, trainedId, `${where}.params.checkpointId`);
    const initial = await openedAt(policy, reference.checkpointId, `${where}.params.reference.checkpointId`);
    return async (rows) => {
      const read = readByBoth('implicit-process-reward', [trained, initial], rows, {
        ...context,
        kept: '\n',
      });
      const [{ values, offsets }, under] = [await trained.lines(read), await initial.lines(read)];
      const lines = { offsets, values: values.map((logp, at) => beta * (logp - under.values[at])) };
      return {
        lines,
        value: Float64Array.from(rows, (_, r) =>
          lines.values.subarray(offsets[r], offsets[r + 1]).reduce((a, b) => a + b, 0),
        ),
      };
    };
  },
});
