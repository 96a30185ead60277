/** Exports models as folders for other tools. */
import { existsSync } from 'node:fs';
import { WhetstoneError } from '../common/errors.ts';
import type { CallProgress, EngineCalls } from '../schema/messages.ts';
import { openModelFolder, writeCheckpoint } from './checkpoint.ts';
import { inType, merged, trainedOf } from './model.ts';
import { widths } from './weights/dtypes.ts';

/**
 * Writes the model of any folder to a new one in Hugging Face's layout: an adapter in PEFT's, or with
 * `merge` its base model with the adapter added. `dtype` sets the type of the weights; by default a whole
 * model keeps its types, and a merged one is float32. Throws `invalid-input` for `merge` without an adapter
 * and for a `dtype` of an adapter alone, `numeric` for values that the type cannot hold, `conflict` if `to`
 * exists. `signal` stops it before the next piece with `cancelled`, and leaves no files.
 */
export const exportModel = async (
  { folder, base, to, merge, dtype }: EngineCalls['export']['input'],
  signal?: AbortSignal,
  report?: (progress: CallProgress<'export'>) => void,
): Promise<EngineCalls['export']['output']> => {
  const inTheWay = `${to}.partial`;
  // a writer clears leftovers of its own; outside the workspace they may be a user's files
  if (existsSync(inTheWay))
    throw new WhetstoneError('conflict', 'A file or folder is in the way of the export’s temporary files.', {
      where: inTheWay,
      hint: 'Move or delete it (an interrupted export leaves one), or choose another folder.',
    });
  // an adapter on a quantized base is merged into the base as its files have it
  const { model, tokenizer } = await openModelFolder(folder, undefined, merge ? 'float32' : undefined, base);
  if (merge && !model.adapter)
    throw new WhetstoneError(
      'invalid-input',
      'This folder holds a whole model; there is no adapter to merge.',
      { where: folder, hint: 'Choose an adapter, or export the model as it is.' },
    );
  if (!merge && model.adapter && dtype)
    throw new WhetstoneError('invalid-input', 'An adapter by itself is saved as float32.', {
      where: 'dtype',
      hint: 'Merge it into its model, or leave the type out.',
    });
  const whole = merge ? merged(model) : model;
  const written = dtype ? inType(whole, dtype) : whole;
  const total = trainedOf(written).slots.reduce(
    (sum, { name, size }) =>
      sum + size * widths[(!written.adapter && written.origin?.dtypes.get(name)) || 'F32'],
    0,
  );
  return writeCheckpoint(
    to,
    { model: written, tokenizer },
    { ...(signal && { signal }), report: (bytes) => report?.({ written: Math.min(bytes, total), total }) },
  );
};
