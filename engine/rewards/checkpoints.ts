import { WhetstoneError } from '../schema/errors.ts';

/** Opens a checkpoint that a parameter names. One that is not there, or of the wrong kind, is refused with the path of that parameter. */
export const openedAt = async <T>(open: (checkpointId: string) => Promise<T>, checkpointId: string, where: string): Promise<T> => {
  try {
    return await open(checkpointId);
  } catch (cause) {
    if (!(cause instanceof WhetstoneError) || (cause.kind !== 'unsupported' && cause.kind !== 'not-found')) throw cause;
    throw new WhetstoneError(cause.kind, cause.message, { where, cause, ...(cause.hint !== undefined && { hint: cause.hint }) });
  }
};
