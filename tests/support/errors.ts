import { WhetstoneError } from '../../engine/common/errors.ts';

/** The WhetstoneError that `action` throws; any other outcome fails the test. */
export const caught = (action: () => unknown): WhetstoneError => {
  try {
    action();
  } catch (error) {
    if (error instanceof WhetstoneError) return error;
    throw error;
  }
  throw new Error('nothing was thrown');
};

/** The same for promises. */
export const rejected = async (action: Promise<unknown>): Promise<WhetstoneError> => {
  try {
    await action;
  } catch (error) {
    if (error instanceof WhetstoneError) return error;
    throw error;
  }
  throw new Error('nothing was thrown');
};
