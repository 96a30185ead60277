/**
 * One side of a comparison: a process that reads a command from its standard input, runs it, and answers
 * with one line.
 */
import { spawn, spawnSync, type ChildProcessByStdio } from 'node:child_process';
import { once } from 'node:events';
import { createInterface } from 'node:readline';
import { fileURLToPath } from 'node:url';
import type { Readable, Writable } from 'node:stream';

const pathOf = (script: string) => fileURLToPath(new URL(script, import.meta.url));
const python = (): string => process.env.WHETSTONE_PYTHON ?? 'python3';

/** Milliseconds after its last command before a side that has not ended is killed. */
const LATE_MS = 5000;

export class Side {
  readonly #child: ChildProcessByStdio<Writable, Readable, null>;
  readonly #lines: AsyncIterator<string>;
  readonly #script: string;

  constructor(command: string, script: string, threads: number) {
    this.#script = script;
    // Waiting threads must sleep, since the other side runs meanwhile.
    const env = {
      ...process.env,
      OMP_WAIT_POLICY: 'passive',
      OMP_NUM_THREADS: `${threads}`,
      MKL_NUM_THREADS: `${threads}`,
      TOKENIZERS_PARALLELISM: 'false',
      HF_HUB_OFFLINE: '1',
      PYTHONDONTWRITEBYTECODE: '1',
    };
    this.#child = spawn(command, [pathOf(script)], { stdio: ['pipe', 'pipe', 'inherit'], env });
    this.#lines = createInterface({ input: this.#child.stdout })[Symbol.asyncIterator]();
  }

  /** Runs one command; throws the side's error, or its end. */
  async ask<Answer>(call: string, args: object = {}): Promise<Answer> {
    this.#child.stdin.write(`${JSON.stringify({ call, args })}\n`);
    const { value, done } = await this.#lines.next();
    if (done) throw new Error(`${this.#script} ended in '${call}'.`);
    const reply = JSON.parse(value as string) as { readonly answer: Answer } | { readonly error: string };
    if ('error' in reply) throw new Error(`${this.#script} failed in '${call}': ${reply.error}`);
    return reply.answer;
  }

  async close(): Promise<void> {
    if (this.#child.exitCode !== null || this.#child.signalCode !== null) return;
    const exited = once(this.#child, 'exit');
    this.#child.stdin.end();
    const late = setTimeout(() => this.#child.kill('SIGKILL'), LATE_MS);
    await exited;
    clearTimeout(late);
  }
}

export const openOurs = (script: string, threads: number): Side =>
  new Side(process.execPath, `./ours/${script}.ts`, threads);
/** A script of another checkout. */
export const openTheirs = (script: string, threads: number): Side =>
  new Side(process.execPath, script, threads);
export const openPeer = (script: string, threads: number): Side =>
  new Side(python(), `./peers/${script}.py`, threads);

/** Why there is no peer, in words; undefined if its modules can be imported. */
export const peerMissing = (...modules: string[]): string | undefined => {
  const { error, status, stderr } = spawnSync(
    python(),
    ['-c', modules.map((name) => `import ${name}`).join('\n')],
    { encoding: 'utf8' },
  );
  if (error) return `${python()} does not start (${error.message})`;
  return status === 0 ? undefined : `${python()}: ${stderr.trim().split('\n').at(-1)}`;
};
