import { openServices } from '../headless/open.ts';
import { text, workspaceOption, type Command } from './command.ts';

export const labelExportCommand: Command = {
  name: 'label-export',
  usage: 'FILE --set ID --workspace DIR',
  summary: 'Write the labels of a set as JSON lines.',
  example: 'labels.jsonl --set SET --workspace my-work',
  positionals: { least: 1, most: 1 },
  options: { ...workspaceOption, set: { type: 'string' } },
  async run({ positionals: [path], values }) {
    const bench = await openServices({ workspacePath: text(values, 'workspace') });
    try {
      const value = await bench.api.labels.export({ setId: text(values, 'set'), path });
      return { value, text: `${value.rows} labels written to ${value.path}` };
    } finally {
      await bench.close();
    }
  },
};
