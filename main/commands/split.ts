import { WhetstoneError } from '../../engine/common/errors.ts';
import { SplitSpec, type Split, type SplitLeakage } from '../../preload/contract/splits.ts';
import { openServices } from '../headless/open.ts';
import {
  columns,
  number,
  parseNumberFlag,
  text,
  workspaceOption,
  type Answer,
  type Command,
  type Values,
  datasetFirst,
} from './command.ts';

const seedOf = (values: Values): number =>
  number(values, 'seed', { fallback: 0, least: 0, most: 0xffff_ffff, whole: true });

/** `train=.8,test=.2`. Throws `invalid-input` for a part without a weight, and for bad names. */
function specOf(values: Values): SplitSpec {
  const parts = text(values, 'parts')
    .split(',')
    .map((each) => {
      const at = each.lastIndexOf('=');
      if (at < 1)
        throw new WhetstoneError('invalid-input', `'${each}' names no part and weight.`, {
          where: '--parts',
          hint: 'Write --parts train=.8,validation=.1,test=.1.',
        });
      const weight = parseNumberFlag('parts', each.slice(at + 1), { least: 0, openLeast: true, most: 1e6 });
      return { name: each.slice(0, at), weight };
    });
  const parsed = SplitSpec.safeParse({
    parts,
    name: String(values.name ?? 'split'),
    by: String(values.by ?? 'prompt'),
    stratify: values.stratify === undefined ? null : String(values.stratify),
    seed: seedOf(values),
  });
  if (parsed.success) return parsed.data;
  const [issue] = parsed.error.issues;
  throw new WhetstoneError('invalid-input', `This is no split: ${issue.message}.`, {
    where: issue.path.join('.'),
  });
}

const listed = (value: readonly Split[]): Answer => ({
  value,
  text: columns([
    ['split', 'part', 'rows', 'key', 'seed'],
    ...value.flatMap(({ spec, parts, unassigned }) => [
      ...parts.map(({ name, rows }) => [spec.name, name, String(rows), spec.by, String(spec.seed)]),
      ...(unassigned > 0 ? [[spec.name, '(none)', String(unassigned), '', '']] : []),
    ]),
  ]),
});

const leaked = (value: SplitLeakage): Answer => ({
  value,
  text: [
    `${value.keys} keys in more than one part`,
    `${value.equal} groups of equal prompts, ${value.near} of nearly equal ones in more than one part`,
    ...value.groups.map(({ parts }) =>
      parts.map(({ name, rows }) => `${name}: ${rows.join(', ')}`).join('; '),
    ),
  ].join('\n'),
});

export const splitCommand: Command = {
  name: 'split',
  usage:
    'DATASET --workspace DIR [--parts train=.8,validation=.1,test=.1 [--name NAME] [--by prompt|near-duplicates|COLUMN] ' +
    '[--stratify COLUMN] [--seed N]] | DATASET --leakage [--name NAME]',
  summary:
    'Split the rows of a dataset into parts in one step, which "undo" takes back: rows with the same prompt (or ' +
    'column, or nearly the same prompt) together, added rows moving no others. Without --parts, list the splits; ' +
    '--leakage looks for equal and nearly equal prompts in several parts.',
  example: 'DATASET --workspace my-work --parts train=.8,validation=.1,test=.1 --seed 1',
  positionals: { least: 1, most: 1 },
  names: datasetFirst,
  options: {
    ...workspaceOption,
    name: { type: 'string' },
    parts: { type: 'string' },
    by: { type: 'string' },
    stratify: { type: 'string' },
    seed: { type: 'string' },
    author: { type: 'string' },
    leakage: { type: 'boolean' },
  },
  async run({ positionals: [id], values }) {
    seedOf(values);
    const spec = values.parts === undefined ? null : specOf(values);
    const bench = await openServices({ workspacePath: text(values, 'workspace') });
    try {
      const { splits } = bench.api;
      if (values.leakage === true)
        return leaked(await splits.leakage({ id, name: text(values, 'name', 'split') }));
      if (spec) await splits.make({ id, split: spec, author: String(values.author ?? '') });
      return listed(await splits.list({ id }));
    } finally {
      await bench.close();
    }
  },
};
