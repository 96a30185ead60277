import { spawn } from 'node:child_process';
import { fileURLToPath } from 'node:url';

export const root = fileURLToPath(new URL('../../', import.meta.url));

/** Result of one check. A check without individual tests counts as one. */
export interface Outcome {
  readonly passed: number;
  readonly failed: number;
  readonly skipped: number;
  /** For the summary: what failed, or why it was skipped. */
  readonly note?: string;
  /** Name and reason of each failure, repeated at the end of a long output. */
  readonly failures?: readonly string[];
}

export interface Check {
  /** The group that selects it: `types`, `lint`, … */
  readonly group: string;
  readonly name: string;
  /** Needs both cores or the page's port exclusively. */
  readonly alone?: boolean;
  run(print: (text: string) => void): Promise<Outcome>;
}

export const passed: Outcome = { passed: 1, failed: 0, skipped: 0 };
export const failed = (note: string): Outcome => ({ passed: 0, failed: 1, skipped: 0, note });

/**
 * Runs a script of the project with this Node; resolves with the exit code (128 or more if a signal ended
 * it).
 */
export function node(
  script: string,
  args: readonly string[],
  print: (text: string) => void,
  env: NodeJS.ProcessEnv = {},
): Promise<number> {
  return new Promise((resolve, reject) => {
    const child = spawn(process.execPath, [script, ...args], {
      cwd: root,
      env: { ...process.env, ...env },
      stdio: ['ignore', 'pipe', 'pipe'],
    });
    for (const stream of [child.stdout, child.stderr]) stream.setEncoding('utf8').on('data', print);
    child.on('error', reject);
    child.on('close', (code) => resolve(code ?? 128));
  });
}

/**
 * Settings of tools written in Go, such as the compiler. Checks run two at a time, so that each takes one
 * core; collecting garbage a quarter as often saves a third of their time for half a gigabyte of memory.
 */
const oneCore = { GOMAXPROCS: '1', GOGC: '400' };

/** A check that is one command: it passes when the command exits with 0. */
export const command = (group: string, name: string, script: string, ...args: string[]): Check => ({
  group,
  name,
  async run(print) {
    const code = await node(script, args, print, oneCore);
    return code === 0 ? passed : failed(`exit code ${code}`);
  },
});
