import { WhetstoneError } from '../../engine/common/errors.ts';
import type { OpenServices } from '../headless/open.ts';
import { openServices } from '../headless/open.ts';
import { rebuilt } from './derive.ts';
import { columns, text, workspaceOption, type Answer, type Command, type Values } from './command.ts';

type Api = OpenServices['api'];
const actions: Readonly<
  Record<string, (api: Api, names: readonly string[], values: Values) => Promise<Answer>>
> = {
  async save(api, [id, name], { author }) {
    const value = await api.versions.save({ id, name, author: String(author ?? '') });
    return { value, text: `${value.name}: ${value.rows} rows, ${value.hash}` };
  },
  async list(api, [id]) {
    const value = await api.versions.list({ id });
    const lines = value.map(({ name, rows, sequence, hash }) => [name, String(rows), String(sequence), hash]);
    return { value, text: columns([['name', 'rows', 'step', 'hash'], ...lines]) };
  },
  async rebuild(api, [id, name]) {
    if (name === undefined) return await rebuilt(api, id);
    const value = await api.versions.rebuild({ id, name });
    return {
      value,
      text: `${value.rows} rows, ${value.hash}: ${value.isSame ? 'as it was saved' : 'not as it was saved'}`,
      exit: value.isSame ? 0 : 1,
    };
  },
  async diff(api, [id, from, to]) {
    const value = await api.versions.diff({ id, from, ...(to !== undefined && { to }), offset: 0 });
    const { added, removed, changed, rows } = value;
    const lines = rows.map(({ row, change, cells }) =>
      [
        `row ${row}`,
        change,
        cells.map((cell) => `${cell.field}: ${cell.before ?? ''} → ${cell.after ?? ''}`).join('; '),
      ]
        .filter(Boolean)
        .join('  '),
    );
    return { value, text: [`${added} added, ${removed} removed, ${changed} changed`, ...lines].join('\n') };
  },
};

export const versionCommand: Command = {
  name: 'version',
  usage:
    'save DATASET NAME | list DATASET | rebuild DATASET [NAME] | diff DATASET FROM [TO], --workspace DIR',
  summary:
    'Save the rows of a dataset as an immutable version, list the versions, build one from its recipe again ' +
    '(without NAME, a dataset made from others), or compare two row by row (without TO, with the rows as they are now).',
  example: 'save DATASET cleaned --workspace my-work',
  positionals: { least: 2, most: 4 },
  names: [{ kind: 'dataset', from: 1 }],
  options: { ...workspaceOption, author: { type: 'string' } },
  async run({ positionals: [action, ...names], values }) {
    const wanted = { save: 2, list: 1, rebuild: 1, diff: 2 }[action];
    const more = Number(action === 'diff' || action === 'rebuild');
    if (wanted === undefined || names.length < wanted || names.length > wanted + more)
      throw new WhetstoneError('invalid-input', `'version ${action}' was given ${names.length} arguments.`, {
        where: 'version',
        hint: 'Use save, list, rebuild or diff; "help version" shows their arguments.',
      });
    const bench = await openServices({ workspacePath: text(values, 'workspace') });
    try {
      return await actions[action](bench.api, names, values);
    } finally {
      await bench.close();
    }
  },
};
