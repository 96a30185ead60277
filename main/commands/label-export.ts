import { exportFormats } from '../export/index.ts';
import { openServices } from '../headless/open.ts';
import { exportToFile } from './export-file.ts';
import { text, workspaceOption, type Command } from './command.ts';

const formats = exportFormats
  .filter(({ from, answers }) => from.includes('label-set') || answers !== undefined)
  .map(({ id }) => id);

export const labelExportCommand: Command = {
  name: 'label-export',
  usage: 'FILE --set ID --workspace DIR [--format FORMAT]',
  summary: `Write the labels of a set, as JSON lines or in a format: ${formats.join(', ')}.`,
  example: 'labels.jsonl --set SET --workspace my-work',
  positionals: { least: 1, most: 1 },
  names: [{ kind: 'label set', option: 'set' }],
  options: { ...workspaceOption, set: { type: 'string' }, format: { type: 'string' } },
  async run({ positionals: [path], values, log }) {
    const setId = text(values, 'set');
    if (values.format !== undefined)
      return exportToFile({ from: { kind: 'label-set', id: setId }, path, values }, log);
    const bench = await openServices({ workspacePath: text(values, 'workspace') });
    try {
      const value = await bench.api.labels.export({ setId, path });
      return { value, text: `${value.rows} labels written to ${value.path}` };
    } finally {
      await bench.close();
    }
  },
};
