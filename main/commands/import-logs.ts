import { WhetstoneError } from '../../engine/common/errors.ts';
import type { LogImportResult } from '../../preload/contract/logs.ts';
import type { Run } from '../../preload/contract/runs.ts';
import { logTools } from '../../preload/wire/log-tools.ts';
import { openServices } from '../headless/open.ts';
import { onInterrupt, text, workspaceOption, type Command } from './command.ts';
import { throttled } from './progress.ts';

export const importLogsCommand: Command = {
  name: 'import-logs',
  usage: 'PATH --workspace DIR [--name NAME]',
  summary:
    `Import logs of ${Object.values(logTools).join(', ')} as runs: a file, or all runs of a folder. Either all ` +
    'or none of them are stored.',
  example: 'logs/seed-1 --workspace my-work --name baseline',
  positionals: { least: 1, most: 1 },
  options: { ...workspaceOption, name: { type: 'string' } },
  async run({ positionals: [path], values, log }) {
    const bench = await openServices({ workspacePath: text(values, 'workspace'), create: true });
    const stop = new AbortController();
    const release = onInterrupt(() => stop.abort());
    const print = throttled(log);
    try {
      for await (const progress of bench.api.logs.import(
        { path, name: String(values.name ?? '') },
        stop.signal,
      )) {
        if (progress.state === 'done') return { value: progress.result, text: summary(progress.result) };
        print(`${progress.name}: ${progress.points} points, run ${progress.run} of ${progress.runs}`);
      }
      throw new WhetstoneError('cancelled', 'The import was cancelled. Nothing was stored.', { where: path });
    } finally {
      release();
      await bench.close();
    }
  },
};

interface Stored {
  readonly runs: readonly Pick<Run, 'id' | 'name' | 'imported'>[];
  readonly leftOut: LogImportResult['leftOut'];
}

const summary = ({ runs, leftOut }: Stored): string =>
  [
    ...runs.flatMap(linesOf),
    ...leftOut.map(({ name, path, reason }) => `Left out: ${name} (${path}): ${reason}`),
  ].join('\n');

function linesOf({ id, name, imported }: Stored['runs'][number]): string[] {
  if (!imported) return [];
  const { tool, points, repeated, skipped, damage } = imported;
  const notes = [
    ...(repeated > 0 ? [`${repeated} of its points repeat a step: the last one counts`] : []),
    ...(skipped.length > 0
      ? [`not read: ${skipped.map(({ what, count }) => `${what} (${count})`).join(', ')}`]
      : []),
    ...(damage === null ? [] : [`damaged: ${damage}`]),
  ];
  return [
    `${id}  ${name}: ${points === 1 ? '1 point' : `${points} points`} from ${logTools[tool]}`,
    ...notes.map((note) => `  ${note}`),
  ];
}
