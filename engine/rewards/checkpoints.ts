import { WhetstoneError } from '../common/errors.ts';
import type { AnswerRow, RewardContext, TextScorer } from './reward.ts';
import type { RewardFault } from '../schema/results.ts';

/**
 * Opens a checkpoint named by a parameter. A missing one, or one of the wrong kind, is refused with the path
 * of that parameter.
 */
export const openedAt = async <T>(
  open: (checkpointId: string) => Promise<T>,
  checkpointId: string,
  where: string,
): Promise<T> => {
  try {
    return await open(checkpointId);
  } catch (cause) {
    if (!(cause instanceof WhetstoneError) || (cause.kind !== 'unsupported' && cause.kind !== 'not-found'))
      throw cause;
    throw new WhetstoneError(cause.kind, cause.message, {
      where,
      cause,
      ...(cause.hint !== undefined && { hint: cause.hint }),
    });
  }
};

type Reader = Pick<TextScorer, 'unread' | 'room'>;

/**
 * Reports answers that a model reads only in part: it skips characters outside its alphabet, and cuts at its
 * context. A policy may learn to write what its judge does not read.
 */
export const reportUnread = (
  scorer: string,
  model: Reader,
  rows: readonly AnswerRow[],
  { report }: Pick<RewardContext, 'report'>,
): void => {
  if (!report) return;
  const found = rows.flatMap(({ prompt, completion }): RewardFault[] => {
    const missing = model.unread?.(completion) ?? '';
    const room = model.room?.({ prompt, completion });
    const fault = (kind: string, message: string): RewardFault => ({
      scorer,
      kind,
      message,
      prompt,
      completion,
    });
    return [
      ...(missing === ''
        ? []
        : [
            fault(
              'unspelled',
              `The alphabet of its model lacks ${JSON.stringify(missing)}: the answer was scored without ` +
                'these characters.',
            ),
          ]),
      ...(room && room.tokens > room.context
        ? [
            fault(
              'cut',
              `Its model reads ${room.context} of the ${room.tokens} tokens of prompt and answer: the rest ` +
                'was cut before scoring.',
            ),
          ]
        : []),
    ];
  });
  if (found.length > 0) report(found);
};

/**
 * Answers for two models whose log-probabilities are compared, without characters that either one lacks.
 * Reports them as `reportUnread` does. Characters in `kept` stay, because the caller needs them to find lines.
 */
export const readByBoth = (
  scorer: string,
  models: readonly Reader[],
  rows: readonly AnswerRow[],
  { report, kept = '' }: Pick<RewardContext, 'report'> & { readonly kept?: string },
): readonly AnswerRow[] => {
  const unread = (completion: string): string =>
    [...new Set(models.map((model) => model.unread?.(completion) ?? '').join(''))].join('');
  reportUnread(scorer, { unread }, rows, { report });
  for (const { room } of models) reportUnread(scorer, { room }, rows, { report });
  return rows.map((row) => {
    const missing = new Set([...unread(row.completion)].filter((character) => !kept.includes(character)));
    return missing.size === 0
      ? row
      : { ...row, completion: [...row.completion].filter((character) => !missing.has(character)).join('') };
  });
};
