import { logLine } from '../../preload/wire/log-lines.ts';
import { isLive } from '../../preload/wire/run-states.ts';
import { openServices } from '../headless/open.ts';
import { openRunReader, type ReadRun } from '../store/run-reader.ts';
import { text, workspaceOption, type Answer, type Command } from './command.ts';
import { endOf, followedLog, unattended } from './followed-log.ts';

const linesOf = ({ entries, more }: Pick<ReadRun, 'entries' | 'more'>): string[] => [
  ...(more ? ['(older entries are left out)'] : []),
  ...entries.map(logLine),
];

/** The log of a run in a workspace that no other process has open. */
async function readLog(
  id: string,
  workspacePath: string,
  isFollowed: boolean,
  print: (line: string) => void,
): Promise<Answer> {
  const bench = await openServices({ workspacePath });
  try {
    const log = await bench.api.runLog.of({ id });
    if (!isFollowed) return { value: log, text: linesOf(log).join('\n') };
    const { name, method, state, step, error } = await bench.services.store.runs.get(id);
    const run = { ...log, name: name || method, state, step, error };
    linesOf(run).forEach(print);
    if (isLive(run)) throw unattended(id, run);
    return endOf(id, run);
  } finally {
    await bench.close();
  }
}

export const logCommand: Command = {
  name: 'log',
  usage: 'RUN --workspace DIR [--follow]',
  summary:
    'Print what happened to a run, with times in UTC: queued, attempts, phases, evaluations, checkpoints, ' +
    'warnings, errors with their whole text, its end. --follow: print new lines too, while another process works ' +
    'on it, until it ends or Ctrl+C; the exit code is that of "run".',
  example: 'RUN --workspace my-work --json',
  positionals: { least: 1, most: 1 },
  options: { ...workspaceOption, follow: { type: 'boolean' } },
  async run({ positionals: [id], values, json, log }) {
    const workspacePath = text(values, 'workspace');
    const print = json ? log : (line: string) => void process.stdout.write(`${line}\n`);
    const reader = values.follow === true ? openRunReader(workspacePath) : null;
    if (!reader) return await readLog(id, workspacePath, values.follow === true, print);
    try {
      return await followedLog(reader, id, print);
    } finally {
      reader.close();
    }
  },
};
