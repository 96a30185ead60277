import { resolve } from 'node:path';
import { WhetstoneError } from '../../engine/common/errors.ts';
import type { ExportType } from '../../engine/schema/export.ts';
import { restorePermissions } from '../store/private.ts';
import { modelOptions, withModel } from './model-option.ts';
import { onInterrupt, text, type Answer, type Command, type Values } from './command.ts';

const types: { readonly [name: string]: ExportType } = { f32: 'F32', f16: 'F16', bf16: 'BF16' };
const options = { ...modelOptions, to: { type: 'string' }, dtype: { type: 'string' } } as const;

const typeOf = ({ dtype }: Values): ExportType | undefined => {
  if (dtype === undefined) return undefined;
  const name = String(dtype).toLowerCase();
  if (Object.hasOwn(types, name)) return types[name];
  throw new WhetstoneError('invalid-input', `There is no type '${name}'.`, {
    where: '--dtype',
    hint: `There are: ${Object.keys(types).join(', ')}.`,
  });
};

const written = async (values: Values, merge: boolean): Promise<Answer> => {
  const to = resolve(text(values, 'to'));
  const dtype = typeOf(values);
  const stop = new AbortController();
  const release = onInterrupt(() => stop.abort());
  const value = await withModel(values, ({ services, ...model }) =>
    services.engine.call('export', { ...model, to, merge, ...(dtype && { dtype }) }, stop.signal),
  ).finally(release);
  // the engine writes files readable by the owner only; an export gets the usual permissions
  await restorePermissions(value.path);
  return { value, text: `${value.parameters} parameters, ${value.bytes} bytes, in ${value.path}` };
};

export const exportCommand: Command = {
  name: 'export',
  usage: '(--model DIR | --checkpoint ID --workspace DIR) --to DIR [--merge] [--dtype f32|f16|bf16]',
  summary:
    'Write a model, a checkpoint or an adapter as a folder that other tools load (Hugging Face’s layout, ' +
    'PEFT’s for an adapter). Without --dtype it keeps its types.',
  example: '--checkpoint CHECKPOINT --workspace my-work --to my-model --dtype bf16',
  positionals: { least: 0, most: 0 },
  options: { ...options, merge: { type: 'boolean' } },
  run: ({ values }) => written(values, values.merge === true),
};

export const mergeCommand: Command = {
  name: 'merge',
  usage: '(--model DIR | --checkpoint ID --workspace DIR) --to DIR [--dtype f32|f16|bf16]',
  summary:
    'Write a model with its adapter merged in, which other tools load without the ' +
    'adapter; float32 by default.',
  example: '--model my-adapter --to my-model',
  positionals: { least: 0, most: 0 },
  options,
  run: ({ values }) => written(values, true),
};
