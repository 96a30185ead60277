import { WhetstoneError } from '../../engine/common/errors.ts';
import { logLine } from '../../preload/wire/log-lines.ts';
import { isLive } from '../../preload/wire/run-states.ts';
import type { ReadRun, RunReader } from '../store/run-reader.ts';
import { onInterrupt, type Answer } from './command.ts';

/** Milliseconds between two readings. */
const PAUSE = 500;

/** Prints lines that were not printed before; equal lines count each. */
function printer(print: (line: string) => void): (run: ReadRun) => void {
  const printed = new Map<string, number>();
  return ({ entries }) => {
    const seen = new Map<string, number>();
    for (const line of entries.map(logLine)) {
      const times = (seen.get(line) ?? 0) + 1;
      seen.set(line, times);
      if (times <= (printed.get(line) ?? 0)) continue;
      printed.set(line, times);
      print(line);
    }
  };
}

/** The answer about an ended run. Throws the error of a failed or interrupted one. */
export function endOf(id: string, { name, state, step, error, entries, more }: ReadRun): Answer {
  if (state === 'failed' || state === 'interrupted')
    throw error
      ? WhetstoneError.from(error)
      : new WhetstoneError('internal', `The run ended as ${state}.`, { where: id });
  const over = `${name} is ${state} after ${step} ${step === 1 ? 'step' : 'steps'}.`;
  return { value: { state, step, entries, more }, text: over };
}

/**
 * Prints the log of a run that another process works on, and each new line, until the run ends or Ctrl+C, which
 * leaves the run alone. Throws the error of a failed run, and `conflict` if its process ends before it.
 */
export async function followedLog(
  reader: RunReader,
  id: string,
  print: (line: string) => void,
): Promise<Answer> {
  const stop = new AbortController();
  const release = onInterrupt(() => stop.abort());
  const show = printer(print);
  try {
    for (;;) {
      const isOwned = reader.isOwned();
      const run = reader.read(id);
      show(run);
      const { name, state, step, entries, more } = run;
      if (!isLive(run)) return endOf(id, run);
      if (stop.signal.aborted)
        return { value: { state, step, entries, more }, text: `${name} goes on: ${state}, step ${step}.` };
      if (!isOwned) throw unattended(id, run);
      await Promise.race([
        new Promise((resolve) => setTimeout(resolve, PAUSE)),
        new Promise((resolve) => stop.signal.addEventListener('abort', resolve, { once: true })),
      ]);
    }
  } finally {
    release();
  }
}

/** The error about a run that waits while no process works on it. */
export const unattended = (id: string, { name, state }: Pick<ReadRun, 'name' | 'state'>): WhetstoneError =>
  new WhetstoneError('conflict', `“${name}” is ${state}, and no Whetstone has the workspace open.`, {
    where: id,
    hint: 'Run "queue go-on", or open the workspace.',
  });
