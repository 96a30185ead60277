import { resolve } from 'node:path';
import { modelOptions, withModel } from './asked-model.ts';
import { text, type Command } from './command.ts';

export const mergeCommand: Command = {
  name: 'merge', usage: '(--model DIR | --checkpoint ID --workspace DIR) --to DIR',
  summary: 'Write a model with its adapter added in as a folder of its own, which other tools load without the adapter. A folder as PEFT saves it will do.',
  positionals: { least: 0, most: 0 },
  options: { ...modelOptions, to: { type: 'string' } },
  async run({ values }) {
    const to = resolve(text(values, 'to'));
    const value = await withModel(values, ({ services, folder }) => services.engine.call('merge', { folder, to }));
    return { value, text: `${value.parameters} parameters, ${value.bytes} bytes, in ${value.path}` };
  },
};
