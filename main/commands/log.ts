import { logLine } from '../../preload/wire/log-lines.ts';
import { openServices } from '../headless/open.ts';
import { text, workspaceOption, type Command } from './command.ts';

export const logCommand: Command = {
  name: 'log',
  usage: 'RUN --workspace DIR',
  summary:
    'Print what happened to a run, with times in UTC: queued, attempts, phases, evaluations, checkpoints, ' +
    'warnings, errors with their whole text, its end.',
  example: 'RUN --workspace my-work --json',
  positionals: { least: 1, most: 1 },
  options: workspaceOption,
  async run({ positionals: [id], values }) {
    const bench = await openServices({ workspacePath: text(values, 'workspace') });
    try {
      const value = await bench.api.runLog.of({ id });
      const lines = value.entries.map(logLine);
      return { value, text: [...(value.more ? ['(older entries are left out)'] : []), ...lines].join('\n') };
    } finally {
      await bench.close();
    }
  },
};
