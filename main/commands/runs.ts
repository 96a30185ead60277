import { openServices } from '../headless/open.ts';
import { entriesOf } from '../store/pages.ts';
import { columns, text, workspaceOption, type Command } from './command.ts';

export const runsCommand: Command = {
  name: 'runs',
  usage: '--workspace DIR [--archived]',
  summary: 'List the runs of the workspace, newest first.',
  example: '--workspace my-work --json',
  positionals: { least: 0, most: 0 },
  options: { ...workspaceOption, archived: { type: 'boolean' } },
  async run({ values }) {
    const bench = await openServices({ workspacePath: text(values, 'workspace') });
    try {
      const value = await entriesOf((before) =>
        bench.api.runs.list({ archived: values.archived === true, before }),
      );
      return {
        value,
        text: columns([
          ['id', 'method', 'state', 'step', 'name'],
          ...value.map((r) => [r.id, r.method, r.state, String(r.step), r.name]),
        ]),
      };
    } finally {
      await bench.close();
    }
  },
};
