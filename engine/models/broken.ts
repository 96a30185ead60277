/** What of a model is to blame where it gives no numbers. */
import { WhetstoneError } from '../common/errors.ts';
import type { Model } from './model.ts';
import type { ParameterSet } from './parameters.ts';

/** The first of some parameters with a value that is no finite number. */
export const firstBroken = (set: ParameterSet): string | undefined =>
  set.slots.find(({ name }) => !set.view(name).every(Number.isFinite))?.name;

/**
 * The `numeric` error of a model that lies in `folder` and gave something that is no number; `what` says
 * what, without a full stop.
 */
export const brokenModel = (what: string, model: Model, folder: string, cause?: unknown): WhetstoneError => {
  const tensor = (model.adapter && firstBroken(model.adapter.parameters)) ?? firstBroken(model.parameters);
  return tensor === undefined
    ? new WhetstoneError(
        'numeric',
        `${what}, though every weight of the model is one: what it computes is more than float32 holds.`,
        { where: folder, hint: 'Choose another checkpoint of the model.', cause },
      )
    : new WhetstoneError('numeric', `${what}: the tensor ${tensor} of the model holds NaN or infinity.`, {
        where: `${folder}, tensor ${tensor}`,
        hint: 'Take an earlier checkpoint, or another copy of the model.',
        cause,
      });
};

/** Does what a model is asked, and where it ends as `numeric` says what of the model is to blame. */
export const blaming = async <T>(model: Model, folder: string, ask: () => Promise<T>): Promise<T> => {
  try {
    return await ask();
  } catch (error) {
    if (!(error instanceof WhetstoneError) || error.kind !== 'numeric') throw error;
    throw brokenModel(error.message.replace(/\.$/, ''), model, folder, error);
  }
};
