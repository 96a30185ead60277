import { WhetstoneError } from '../../engine/common/errors.ts';
import type { Dataset } from '../../preload/contract/datasets.ts';
import { openServices } from '../headless/open.ts';
import { entriesOf } from '../store/pages.ts';
import { columns, text, workspaceOption, type Command } from './command.ts';

const table = (datasets: readonly Dataset[]): string =>
  columns([
    ['id', 'name', 'prompts', 'answers', 'right', 'wrong', 'imported', 'source'],
    ...datasets.map(({ id, name, doctor, createdAt, source }) => [
      id,
      name,
      ...[doctor.prompts, doctor.answers, doctor.correct, doctor.wrong].map(String),
      new Date(createdAt).toISOString().slice(0, 16),
      source,
    ]),
  ]);

/** Number of arguments of each action, its name included. */
const actions: Readonly<Record<string, number>> = { list: 1, rename: 3, remove: 2 };

export const datasetsCommand: Command = {
  name: 'datasets',
  usage: 'list | rename DATASET NAME | remove DATASET, each with --workspace DIR',
  summary: 'List the datasets of a workspace, newest first; rename one, or remove it: its file stays.',
  example: 'list --workspace my-work',
  positionals: { least: 1, most: 3 },
  names: [{ kind: 'dataset', from: 1 }],
  options: workspaceOption,
  async run({ positionals, values }) {
    const [action, id, name] = positionals;
    if (!Object.hasOwn(actions, action) || positionals.length !== actions[action])
      throw new WhetstoneError('invalid-input', `There is no action '${positionals.join(' ')}'.`, {
        where: 'datasets',
        hint: 'Use list, rename DATASET NAME, or remove DATASET.',
      });
    const { api, close } = await openServices({ workspacePath: text(values, 'workspace') });
    try {
      if (action === 'rename')
        return { value: await api.datasets.rename({ id, name }), text: `Renamed to ${name}.` };
      if (action === 'remove')
        return { value: await api.datasets.remove({ id }), text: 'Removed; its file remains.' };
      const value = await entriesOf((before) => api.datasets.list({ before }));
      return { value, text: value.length > 0 ? table(value) : 'The workspace has no dataset.' };
    } finally {
      await close();
    }
  },
};
