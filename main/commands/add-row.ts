import { openServices } from '../headless/open.ts';
import { datasetFirst, text, workspaceOption, type Command } from './command.ts';
import { oneOf } from './label-flags.ts';

const string = { type: 'string' } as const;

export const addRowCommand: Command = {
  name: 'add-row',
  usage:
    'DATASET --prompt TEXT --workspace DIR [--answer TEXT] [--reference TEXT] [--mark right|wrong] ' +
    '[--source TEXT] [--author NAME]',
  summary: 'Add a row written by hand to a dataset, in one step, which "undo" takes back.',
  example: "DATASET --workspace my-work --prompt 'How much is 2 + 2?' --answer 4 --reference 4",
  positionals: { least: 1, most: 1 },
  names: datasetFirst,
  options: {
    ...workspaceOption,
    prompt: string,
    answer: string,
    reference: string,
    mark: string,
    source: string,
    author: string,
  },
  async run({ positionals: [id], values }) {
    const row = {
      prompt: text(values, 'prompt'),
      answer: String(values.answer ?? ''),
      reference: values.reference === undefined ? null : String(values.reference),
      correct: values.mark === undefined ? null : oneOf(values, 'mark', ['right', 'wrong']) === 'right',
      source: String(values.source ?? 'by hand'),
    };
    const bench = await openServices({ workspacePath: text(values, 'workspace') });
    try {
      const value = await bench.api.curation.add({ id, row, author: String(values.author ?? '') });
      return { value, text: `Row ${value.row} is added.` };
    } finally {
      await bench.close();
    }
  },
};
