import { exportFormats } from '../export/index.ts';
import { exportToFile } from './export-file.ts';
import { text, workspaceOption, type Command } from './command.ts';

export const datasetExportCommand: Command = {
  name: 'dataset-export',
  usage: 'FILE --dataset ID --workspace DIR [--format FORMAT]',
  summary:
    'Write a dataset as a file. Formats of rows: ' +
    `${exportFormats
      .filter(({ from }) => from.includes('rows'))
      .map(({ id }) => id)
      .join(', ')}; of its pairs of a right and a wrong answer: ` +
    `${exportFormats
      .filter(({ from }) => from.includes('pairs'))
      .map(({ id }) => id)
      .join(', ')}.`,
  example: 'pairs.jsonl --dataset DATASET --workspace my-work --format trl-preference',
  positionals: { least: 1, most: 1 },
  names: [{ kind: 'dataset', option: 'dataset' }],
  options: { ...workspaceOption, dataset: { type: 'string' }, format: { type: 'string' } },
  run: ({ positionals: [path], values, log }) =>
    exportToFile({ from: { kind: 'dataset', id: text(values, 'dataset') }, path, values }, log),
};
