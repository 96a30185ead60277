import { WhetstoneError } from '../../engine/common/errors.ts';
import { handlersOf } from '../ipc/index.ts';
import { openServices, plainServices } from '../headless/open.ts';
import { text, workspaceOption, type Answer, type Command } from './command.ts';

async function create(path: string, name: string): Promise<Answer> {
  const services = plainServices();
  try {
    const value = await handlersOf(services).workspaces.create({ path, name });
    return { value, text: `Workspace '${value.name}' is ready in ${value.path}` };
  } finally {
    await services.close();
  }
}

async function backup(path: string, workspacePath: string): Promise<Answer> {
  const bench = await openServices({ workspacePath });
  try {
    const value = await bench.api.workspaces.backup({ path });
    return { value, text: `${value.bytes} bytes copied to ${value.path}` };
  } finally {
    await bench.close();
  }
}

export const workspaceCommand: Command = {
  name: 'workspace',
  usage: 'create DIR [--name NAME] | backup DIR --workspace DIR',
  summary: 'Create a workspace, or copy one to a new folder.',
  example: "create my-work --name 'First experiments'",
  positionals: { least: 2, most: 2 },
  options: { ...workspaceOption, name: { type: 'string' } },
  run({ positionals: [action, path], values }) {
    if (action === 'create') return create(path, String(values.name ?? ''));
    if (action === 'backup') return backup(path, text(values, 'workspace'));
    throw new WhetstoneError('invalid-input', `There is no action '${action}'.`, {
      where: 'workspace',
      hint: 'Use create or backup.',
    });
  },
};
