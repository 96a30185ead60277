import { WhetstoneError } from '../../engine/common/errors.ts';
import type { CurveExportResult } from '../../preload/contract/logs.ts';
import { curveFormats, type CurveFormat } from '../../preload/wire/log-tools.ts';
import { openServices } from '../headless/open.ts';
import { onInterrupt, text, workspaceOption, type Command } from './command.ts';
import { throttled } from './progress.ts';

const ids = curveFormats.map(({ id }) => id).join(', ');

/** Throws `invalid-input` for an unknown format. */
function formatOf(given: string): CurveFormat {
  const format = curveFormats.find(({ id }) => id === given);
  if (format) return format.id;
  throw new WhetstoneError('invalid-input', `There is no format '${given}'.`, {
    where: '--format',
    hint: `There are: ${ids}.`,
  });
}

export const exportLogsCommand: Command = {
  name: 'export-logs',
  usage: 'RUN… --to PATH --workspace DIR [--format FORMAT]',
  summary:
    `Write all curves of runs for other tools. Formats: ${ids}. TensorBoard and W&B take a new folder, with a ` +
    'folder per run; the others one file.',
  example: 'RUN --to curves.csv --workspace my-work --format csv',
  positionals: { least: 1, most: 64 },
  options: { ...workspaceOption, to: { type: 'string' }, format: { type: 'string' } },
  async run({ positionals, values, log }) {
    const input = {
      runIds: [...positionals],
      format: formatOf(text(values, 'format', 'csv')),
      path: text(values, 'to'),
    };
    const bench = await openServices({ workspacePath: text(values, 'workspace') });
    const stop = new AbortController();
    const release = onInterrupt(() => stop.abort());
    const print = throttled(log);
    try {
      for await (const progress of bench.api.logs.export(input, stop.signal)) {
        if (progress.state === 'done') return { value: progress.result, text: summary(progress.result) };
        print(`export: ${progress.points} of ${progress.totalPoints} points`);
      }
      throw new WhetstoneError('cancelled', 'The export was cancelled. Nothing was written.', {
        where: input.path,
      });
    } finally {
      release();
      await bench.close();
    }
  },
};

const summary = ({ path, runs, points, cannotHold }: CurveExportResult): string =>
  `${points} points of ${runs} run${runs === 1 ? '' : 's'} written to ${path}. ${cannotHold}`;
