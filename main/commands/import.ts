import type { Dataset } from '../../preload/contract/datasets.ts';
import { previewFile } from '../import/index.ts';
import { importWithLog, planOf } from '../import/import-with-log.ts';
import { openServices } from '../headless/open.ts';
import { text, workspaceOption, type Answer, type Command } from './command.ts';

export const importCommand: Command = {
  name: 'import',
  usage: 'FILE --workspace DIR [--name NAME] [--keep-good-lines] | FILE --look',
  summary:
    'Read a dataset file (JSON lines, JSON, CSV) into the workspace; --look only shows how ' +
    'its columns and lines would be read.',
  example: 'pairs.jsonl --workspace my-work --name pairs',
  positionals: { least: 1, most: 1 },
  options: {
    ...workspaceOption,
    name: { type: 'string' },
    'keep-good-lines': { type: 'boolean' },
    look: { type: 'boolean' },
  },
  async run({ positionals: [path], values, log }) {
    if (values.look === true) return preview(path);
    const bench = await openServices({ workspacePath: text(values, 'workspace'), create: true });
    try {
      const keepGoodLines = values['keep-good-lines'] === true;
      const dataset = await importWithLog(
        bench,
        { path, name: String(values.name ?? ''), keepGoodLines },
        log,
      );
      return { value: dataset, text: summary(dataset) };
    } finally {
      await bench.close();
    }
  },
};

const preview = async (path: string): Promise<Answer> => {
  const found = await previewFile(path, new AbortController().signal, () => undefined);
  return { value: found, text: planOf(found).join('\n') };
};

const summary = ({ name, doctor }: Dataset): string => {
  const marks = `${doctor.correct} right, ${doctor.wrong} wrong, ${doctor.unmarked} not marked`;
  const references =
    doctor.verifier === null
      ? ''
      : `\n${doctor.references} rows have a reference; as a reward of a run, ${doctor.verifier} compares ` +
        'answers with it.';
  return (
    `${name}: ${doctor.answers} answers to ${doctor.prompts} prompts (${marks}), ${doctor.rejected} lines ` +
    `left out.${references}`
  );
};
