/** Our side of the protocol in `../side.ts`: one command and one answer per line. */
import { existsSync, readFileSync } from 'node:fs';
import { createInterface } from 'node:readline';

type Call = (args: never) => unknown;

/** Runs commands until standard input ends. */
export const serve = async (calls: Readonly<Record<string, Call>>): Promise<void> => {
  for await (const line of createInterface({ input: process.stdin })) {
    const { call, args } = JSON.parse(line) as { call: string; args: never };
    let reply: object;
    try {
      reply = { answer: (await calls[call](args)) ?? null };
    } catch (error) {
      reply = { error: error instanceof Error ? error.stack : String(error) };
    }
    process.stdout.write(`${JSON.stringify(reply)}\n`);
  }
};

/** A kernel statistic of this process in MB; null without that file. */
const statusMb = (name: 'VmRSS' | 'VmHWM'): number | null => {
  if (!existsSync('/proc/self/status')) return null;
  const found = new RegExp(`^${name}:\\s+(\\d+) kB`, 'm').exec(readFileSync('/proc/self/status', 'utf8'));
  return found ? Number(found[1]) / 1024 : null;
};

/** Resident size after loading libraries. */
export const residentMb = (): number | null => statusMb('VmRSS');

/** Peak resident size, minus that of the libraries. */
export const peakMb = (loadedMb: number | null): number | null => {
  const peak = statusMb('VmHWM');
  return peak === null || loadedMb === null ? null : peak - loadedMb;
};
