import type { Dataset } from '../../preload/contract/datasets.ts';
import { openServices } from '../open.ts';
import { text, workspaceOption, type Command } from './command.ts';

export const importCommand: Command = {
  name: 'import', usage: 'FILE --workspace DIR [--name NAME] [--keep-good-lines]', summary: 'Read a dataset file (JSON lines, JSON, CSV) into the workspace.',
  positionals: { least: 1, most: 1 },
  options: { ...workspaceOption, name: { type: 'string' }, 'keep-good-lines': { type: 'boolean' } },
  async run({ positionals: [path], values, say }) {
    const bench = await openServices({ workspacePath: text(values, 'workspace'), create: true });
    try {
      let dataset: Dataset | null = null;
      const input = { path, name: String(values.name ?? ''), keepGoodLines: values['keep-good-lines'] === true };
      for await (const progress of bench.api.datasets.import(input, new AbortController().signal)) {
        if (progress.state === 'done') dataset = progress.dataset;
        else say(`${progress.rows} rows, ${Math.round((100 * progress.bytes) / progress.totalBytes)} %`);
      }
      const d = dataset?.doctor;
      return {
        value: dataset,
        text: d ? `${dataset?.name}: ${d.answers} answers to ${d.prompts} prompts (${d.correct} right, ${d.wrong} wrong), ${d.rejected} lines left out.\n${d.format}: ${d.why}${d.verifier ? `\n${d.references} rows have a reference; as a reward of a run, ${d.verifier} compares answers with it.` : ''}` : '',
      };
    } finally {
      await bench.close();
    }
  },
};
