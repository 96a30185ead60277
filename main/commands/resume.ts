import { openServices } from '../headless/open.ts';
import { text, workspaceOption, type Command } from './command.ts';
import { followed } from './followed.ts';

export const resumeCommand: Command = {
  name: 'resume',
  usage: 'RUN --workspace DIR',
  summary:
    'Resume a stopped, interrupted or failed run from its newest ' +
    'checkpoint. Ctrl+C stops it after the current step.',
  example: 'RUN --workspace my-work',
  positionals: { least: 1, most: 1 },
  options: workspaceOption,
  async run({ positionals: [runId], values, log }) {
    const bench = await openServices({ workspacePath: text(values, 'workspace') });
    try {
      const { name, method } = await bench.services.store.runs.get(runId);
      const from = await bench.services.queue.newestCheckpoint(runId);
      await bench.api.runs.resume({ id: runId });
      log(
        `${name || method}: ` +
          `${from ? `resumes from its checkpoint of step ${from.step}` : 'has no checkpoint, so it starts over'}`,
      );
      return await followed(bench, runId, log);
    } finally {
      await bench.close();
    }
  },
};
