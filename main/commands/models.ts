import { WhetstoneError } from '../../engine/common/errors.ts';
import type { Model } from '../../preload/contract/models.ts';
import { openServices } from '../headless/open.ts';
import { entriesOf } from '../store/pages.ts';
import { columns, text, workspaceOption, type Answer, type Command } from './command.ts';

const millions = (count: number): string => `${(count / 1e6).toPrecision(3)}M`;
const shown = ({ id, name, architecture, head, parameters, dtypes, context, folder }: Model): string[] => [
  id,
  name,
  architecture,
  head,
  millions(parameters),
  dtypes.join('+'),
  String(context),
  folder,
];
const table = (models: readonly Model[]): string =>
  columns([
    ['id', 'name', 'architecture', 'head', 'parameters', 'type', 'context', 'folder'],
    ...models.map(shown),
  ]);

export const modelsCommand: Command = {
  name: 'models',
  usage: 'add DIR [--name NAME] | list | remove ID, each with --workspace DIR',
  summary:
    'Models in folders that runs can start from: Hugging Face’s layout, also a folder of its cache, or an ' +
    'adapter as PEFT saves it. Nothing is copied, and remove keeps the folder.',
  example: 'add gpt2 --name GPT-2 --workspace my-work',
  positionals: { least: 1, most: 2 },
  options: { ...workspaceOption, name: { type: 'string' } },
  async run({ positionals: [action, which = ''], values }): Promise<Answer> {
    if (!['add', 'list', 'remove'].includes(action) || (action === 'list') !== (which === '')) {
      throw new WhetstoneError('invalid-input', `There is no action '${[action, which].join(' ').trim()}'.`, {
        where: 'models',
        hint: 'Use add DIR, list, or remove ID.',
      });
    }
    const { api, close } = await openServices({
      workspacePath: text(values, 'workspace'),
      create: action === 'add',
    });
    try {
      if (action === 'list') {
        const value = await entriesOf((before) => api.models.list({ before }));
        return { value, text: table(value) };
      }
      if (action === 'remove')
        return { value: await api.models.remove({ id: which }), text: 'Removed; its folder remains.' };
      const value = await api.models.add({ path: which, name: String(values.name ?? '') });
      return { value, text: table([value]) };
    } finally {
      await close();
    }
  },
};
