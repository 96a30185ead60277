/** Models as folders for other tools. */
import { existsSync } from 'node:fs';
import { WhetstoneError } from '../common/errors.ts';
import type { CallProgress, EngineCalls } from '../schema/messages.ts';
import { openModelFolder, writeCheckpoint } from './checkpoint.ts';
import { inType, merged, trainedOf } from './model.ts';
import { widths } from './weights/dtypes.ts';

/**
 * Writes the model of any folder to a new one in Hugging Face's layout: an adapter in PEFT's, or with `merge`
 * its model with the adapter added in. In `dtype` where that is given; otherwise a whole model keeps the
 * types that it has, and a merged one is float32. Throws `invalid-input` for `merge` without an adapter and
 * for a type of an adapter by itself, `numeric` for what the type cannot hold, `conflict` where `to` exists.
 * `signal` stops it before the next piece: then nothing of it is left, and it is refused as `cancelled`.
 */
export const exportModel = async (
  { folder, base, to, merge, dtype }: EngineCalls['export']['input'],
  signal?: AbortSignal,
  report?: (progress: CallProgress<'export'>) => void,
): Promise<EngineCalls['export']['output']> => {
  const inTheWay = `${to}.partial`;
  // a writer clears what it finds there; outside the workspace that may be somebody's
  if (existsSync(inTheWay))
    throw new WhetstoneError('conflict', 'A file or folder stands where the export is written first.', {
      where: inTheWay,
      hint: 'Move or delete it (an export that was cut off leaves one), or choose another folder.',
    });
  // an adapter beside quantized matrices is added to the model as its files have it
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
