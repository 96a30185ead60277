import * as z from 'zod';
import { WhetstoneError } from '../../engine/common/errors.ts';
import type { LabelImport } from '../../preload/contract/label-import.ts';
import { BulkState } from '../../preload/contract/label-bulk.ts';
import { Choice } from '../../preload/contract/labels.ts';
import type { openServices } from '../headless/open.ts';
import { onInterrupt, text, type Answer, type Values } from './command.ts';
import { json, labelerOf, oneOf, optional } from './label-flags.ts';

type Bench = Pick<Awaited<ReturnType<typeof openServices>>, 'api'>;

const summaryOf = (result: LabelImport): string => {
  const { labels, added, stored, already, unmatched, contradictory, invalid } = result;
  const asides = [
    ['unmatched', unmatched],
    ['contradictory', contradictory],
    ['invalid', invalid],
  ] as const;
  const counts = asides.map(([name, { count }]) => `${count} ${name}`).join(', ');
  const first = asides.flatMap(([name, each]) =>
    each.first.slice(0, 3).map(({ line, reason }) => `  ${name}, line ${line}: ${reason}`),
  );
  const verb = stored || added === 0 ? 'imported' : 'would be imported';
  return [`${added} of ${labels} labels ${verb}; ${already} already there, ${counts}.`, ...first].join('\n');
};

/** `labels import`: the labels of a file as events of a set; Ctrl+C while it is read or matched stores none. */
export async function importFile(
  { api }: Bench,
  path: string | undefined,
  values: Values,
  log: (text: string) => void,
): Promise<Answer> {
  if (path === undefined)
    throw new WhetstoneError('invalid-input', 'The file is missing.', {
      where: 'labels import',
      hint: 'Usage: labels import FILE --set ID --workspace DIR.',
    });
  const stop = new AbortController();
  const release = onInterrupt(() => stop.abort());
  try {
    const as = optional(values, 'as');
    const choice = { setId: text(values, 'set'), path, isPreview: values.preview === true };
    const input = { ...choice, ...(as !== undefined && { as }) };
    for await (const progress of api.labelImport.run(input, stop.signal)) {
      if (progress.state === 'done') return { value: progress.result, text: summaryOf(progress.result) };
      log(`import: ${progress.labels} labels`);
    }
    throw new WhetstoneError('cancelled', 'The import was cancelled.', {
      where: path,
      hint: 'Either all of its labels are stored or none is: --preview counts those that are left.',
    });
  } finally {
    release();
  }
}

/** `labels imports`: the imports of a set. */
export async function listImports({ api }: Bench, values: Values): Promise<Answer> {
  const imports = await api.labelImport.list({ setId: text(values, 'set') });
  const lines = imports.map(
    ({ id, at, source, labels, left }) =>
      `${id}\t${new Date(at).toISOString()}\t${source}\t${left} of ${labels} labels`,
  );
  return { value: imports, text: lines.join('\n') || 'No imports.' };
}

/** `labels remove-import`: takes the labels of an import back, all of them together. */
export async function removeImport(
  { api }: Bench,
  importId: string | undefined,
  values: Values,
): Promise<Answer> {
  if (importId === undefined)
    throw new WhetstoneError('invalid-input', 'The import is missing.', {
      where: 'labels remove-import',
      hint: 'labels imports lists them.',
    });
  const value = await api.labelImport.remove({ setId: text(values, 'set'), importId });
  return { value, text: `${value.removed} labels taken back` };
}

/** `labels bulk`: one decision on all items with a text; the sequences it prints go to `bulk-undo`. */
export async function decideBulk({ api }: Bench, values: Values): Promise<Answer> {
  const set = { setId: text(values, 'set'), labeler: labelerOf(values) };
  const state = values.state === undefined ? 'open' : oneOf(values, 'state', BulkState.options);
  const positions = await api.labelBulk.find({ ...set, text: text(values, 'text', ' ').trim(), state });
  if (positions.length === 0) return { value: { sequences: [], labeled: 0 }, text: 'No item matches.' };
  const choice = oneOf(values, 'verdict', Choice.options);
  const value = json(values, 'value', z.unknown());
  const { sequences } = await api.labelBulk.decide({ ...set, positions, choice, value });
  return {
    value: { sequences, labeled: sequences.length },
    text: `${sequences.length} items labeled; take back with bulk-undo --value '[${sequences[0]}, …]'`,
  };
}

/** `labels bulk-undo`: takes back the events of one `labels bulk`. */
export async function undoBulk({ api }: Bench, values: Values): Promise<Answer> {
  const sequences = json(values, 'value', z.array(z.int().min(0)).min(1)) ?? [];
  const set = { setId: text(values, 'set'), labeler: labelerOf(values) };
  const { undone } = await api.labelBulk.undo({ ...set, sequences });
  return { value: { undone }, text: `${undone} decisions taken back` };
}
