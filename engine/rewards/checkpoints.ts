import { WhetstoneError } from '../schema/errors.ts';
import type { AnswerRow, RewardContext, RewardFault, TextScorer } from './reward.ts';

/** Opens a checkpoint that a parameter names. One that is not there, or of the wrong kind, is refused with the path of that parameter. */
export const openedAt = async <T>(open: (checkpointId: string) => Promise<T>, checkpointId: string, where: string): Promise<T> => {
  try {
    return await open(checkpointId);
  } catch (cause) {
    if (!(cause instanceof WhetstoneError) || (cause.kind !== 'unsupported' && cause.kind !== 'not-found')) throw cause;
    throw new WhetstoneError(cause.kind, cause.message, { where, cause, ...(cause.hint !== undefined && { hint: cause.hint }) });
  }
};

/** A model with an alphabet reads an answer without the characters that it lacks. Whoever listens is told of each such answer: a policy may learn to write what its judge does not see. */
export const tellUnread = (scorer: string, model: Pick<TextScorer, 'unread'>, rows: readonly AnswerRow[], { report }: Pick<RewardContext, 'report'>): void => {
  const found = rows.flatMap(({ prompt, completion }): RewardFault[] => {
    const missing = model.unread?.(completion) ?? '';
    return missing === '' ? [] : [{ scorer, kind: 'unspelled', message: `The alphabet of its model lacks ${JSON.stringify(missing)}: the answer was scored without.`, prompt, completion }];
  });
  if (found.length > 0) report?.(found);
};
