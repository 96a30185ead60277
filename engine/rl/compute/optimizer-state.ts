/** The optimizer's arrays: fresh, or restored from a checkpoint. */
import { optimizerState, packedState, type Group, type OptimizerSettings } from '../../optim/index.ts';
import { WhetstoneError } from '../../common/errors.ts';
import { groupInputs } from './grouped.ts';

/**
 * The arrays before any update, concatenated for each slot of the optimizer, and the feeds that are views of
 * them.
 */
export const freshState = (
  optimizer: OptimizerSettings,
  groups: readonly Group[],
): ReturnType<typeof packedState> =>
  packedState(optimizerState(optimizer, Object.values(groupInputs(groups, 'parameters')), groups));

/** Restores a saved state. Throws `conflict` if it belongs to another optimizer. */
export const restoreState = (
  arrays: Readonly<Record<string, Float32Array>>,
  saved: Readonly<Record<string, Float32Array>>,
): void => {
  if (Object.keys(saved).length === 0) return;
  const names = new Set([...Object.keys(arrays), ...Object.keys(saved)]);
  for (const name of names) {
    if (arrays[name]?.length === saved[name]?.length) arrays[name].set(saved[name]);
    else
      throw new WhetstoneError(
        'conflict',
        `The checkpoint’s optimizer has ${saved[name]?.length ?? 'no'} values of '${name}', where ` +
          `${arrays[name]?.length ?? 'none'} are needed.`,
        {
          where: name,
          hint:
            'It was written by another optimizer, or by an earlier version of this app, whose state ' +
            'cannot be continued. Its model is intact: launch a new run that starts from this checkpoint.',
        },
      );
  }
};
