import * as z from 'zod';
import { WhetstoneError } from '../common/errors.ts';
import { combinations } from '../schema/judge-output.ts';
import { openedAt, reportUnread } from './checkpoints.ts';
import { defineReward, type AnswerRow } from './reward.ts';

/** A trained reward model's score, raw or with its held-out length trend subtracted. */
export const rewardModel = defineReward({
  id: 'reward-model',
  title: 'Reward model',
  summary: 'The score of a reward model that was trained on labels. It can be gamed: inspect it first.',
  params: z.strictObject({
    checkpointId: z.string().min(1).describe('Checkpoint of a reward-model run.'),
    debias: z
      .boolean()
      .default(false)
      .describe('Subtract the part that length alone predicts, as fitted on held-out answers in training.'),
    combine: z
      .enum(['own', ...combinations])
      .default('own')
      .describe(
        'How the numbers of several heads, or of the worked steps, are combined: own: as in ' +
          'training; lower-bound: mean − caution × deviation.',
      ),
    caution: z.number().min(0).default(1).describe('Deviations that the lower bound lies below the mean.'),
    condition: z
      .string()
      .max(2000)
      .optional()
      .describe('A text in front of every prompt, such as a principle; absent: as in training.'),
  }),
  needs: ['checkpoint'],
  scorer: async (
    { checkpointId, debias, combine, caution, condition },
    { checkpoint, where = 'rewards: reward-model', ...context },
  ) => {
    const model = await openedAt(checkpoint, checkpointId, `${where}.params.checkpointId`);
    const { lengthFit } = model;
    const how = combine === 'own' ? undefined : { how: combine, caution };
    const score = (rows: readonly AnswerRow[]): Promise<Float64Array> => {
      reportUnread('reward-model', model, rows, context);
      return model.score(rows, how, condition);
    };
    if (!debias) return score;
    if (!lengthFit) {
      throw new WhetstoneError(
        'unsupported',
        'This reward model was never inspected, so the effect of length on its score is unknown.',
        {
          where: `${where}.params.debias`,
          hint: 'Train it with held-out pairs or answers, or switch the correction off.',
        },
      );
    }
    if (how) {
      throw new WhetstoneError(
        'unsupported',
        'The length correction was fitted on this model’s scores with its own combination.',
        {
          where: `${where}.params.combine`,
          hint: 'Leave the combination as its own, or switch the correction off.',
        },
      );
    }
    return async (rows) => {
      const raw = await score(rows);
      return {
        raw,
        value: raw.map((score, r) => score - lengthFit.intercept - lengthFit.slope * rows[r].tokens),
      };
    };
  },
});
