/** Finds the cause when a model's outputs are not finite. */
import { WhetstoneError } from '../common/errors.ts';
import type { Model } from './model.ts';
import type { ParameterSet } from './parameters.ts';

/** Name of the first parameter with a non-finite value. */
export const firstBroken = (set: ParameterSet): string | undefined =>
  set.slots.find(({ name }) => !set.view(name).every(Number.isFinite))?.name;

/**
 * The `numeric` error of a model in `folder` with a non-finite output; `what` describes the output, without
 * a full stop.
 */
export const brokenModel = (what: string, model: Model, folder: string, cause?: unknown): WhetstoneError => {
  const tensor = (model.adapter && firstBroken(model.adapter.parameters)) ?? firstBroken(model.parameters);
  return tensor === undefined
    ? new WhetstoneError(
        'numeric',
        `${what}, although all weights of the model are finite: a result exceeds the range of ` + 'float32.',
        { where: folder, hint: 'Choose another checkpoint of the model.', cause },
      )
    : new WhetstoneError('numeric', `${what}: the tensor ${tensor} of the model holds NaN or infinity.`, {
        where: `${folder}, tensor ${tensor}`,
        hint: 'Take an earlier checkpoint, or another copy of the model.',
        cause,
      });
};

/** Runs a computation on a model; adds the cause to an error with `numeric`. */
export const withNumericCause = async <T>(
  model: Model,
  folder: string,
  ask: () => Promise<T>,
): Promise<T> => {
  try {
    return await ask();
  } catch (error) {
    if (!(error instanceof WhetstoneError) || error.kind !== 'numeric') throw error;
    throw brokenModel(error.message.replace(/\.$/, ''), model, folder, error);
  }
};
