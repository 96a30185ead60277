import { WhetstoneError } from '../../engine/common/errors.ts';
import { mappedFields, type MappedField, type Mapping } from '../../engine/schema/mapping.ts';
import type { Dataset } from '../../preload/contract/datasets.ts';
import { previewFile } from '../import/index.ts';
import { importWithLog, planOf } from '../import/import-with-log.ts';
import { openServices } from '../headless/open.ts';
import { text, workspaceOption, type Answer, type Command, type Values } from './command.ts';

export const importCommand: Command = {
  name: 'import',
  usage: 'FILE --workspace DIR [--name NAME] [--keep-good-lines] [--map FIELD=COLUMN]… | FILE --look',
  summary:
    'Read a dataset file (JSON lines, JSON, CSV, Parquet; gzip) or a folder of the Hugging Face Hub into ' +
    'the workspace; --look only shows how its columns and lines would be read. --map names the column of ' +
    `a field (${mappedFields.join(', ')}).`,
  example: 'pairs.jsonl --workspace my-work --name pairs',
  positionals: { least: 1, most: 1 },
  options: {
    ...workspaceOption,
    name: { type: 'string' },
    'keep-good-lines': { type: 'boolean' },
    look: { type: 'boolean' },
    map: { type: 'string', multiple: true },
  },
  async run({ positionals: [path], values, log }) {
    const mapping = mappingOf(values);
    if (values.look === true) return preview(path, mapping);
    const bench = await openServices({ workspacePath: text(values, 'workspace'), create: true });
    try {
      const keepGoodLines = values['keep-good-lines'] === true;
      const dataset = await importWithLog(
        bench,
        { path, name: String(values.name ?? ''), keepGoodLines, mapping },
        log,
      );
      return { value: dataset, text: summary(dataset) };
    } finally {
      await bench.close();
    }
  },
};

/** `--map prompt=question --map answer=reply`. Throws `invalid-input` for an unknown or repeated field. */
const mappingOf = ({ map }: Values): Mapping | undefined => {
  if (map === undefined) return undefined;
  const mapping: { [F in MappedField]?: string } = {};
  for (const given of [map].flat().map(String)) {
    const at = given.indexOf('=');
    const [name, column] = [given.slice(0, at), given.slice(at + 1)];
    const field = mappedFields.find((each) => each === name);
    if (at < 0 || column === '' || !field || mapping[field] !== undefined)
      throw new WhetstoneError('invalid-input', `--map ${given} does not name a field once, and a column.`, {
        where: '--map',
        hint: `Write --map prompt=question; the fields are ${mappedFields.join(', ')}.`,
      });
    mapping[field] = column;
  }
  return mapping;
};

const preview = async (path: string, mapping: Mapping | undefined): Promise<Answer> => {
  const found = await previewFile({ path, mapping }, new AbortController().signal, () => undefined);
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
