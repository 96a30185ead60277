import { fork } from 'node:child_process';
import { fileURLToPath } from 'node:url';
import { entryOf } from '../../../engine/common/entry.ts';
import { WhetstoneError } from '../../../engine/common/errors.ts';
import { watchOption } from '../../../engine/watchdog/index.ts';
import type { SqlResult } from '../../../preload/contract/sql.ts';
import type { SpawnSql, SqlReply, SqlRequest } from './protocol.ts';

const entry = fileURLToPath(entryOf(import.meta.url, './process.ts', './sql-process.js'));

/** A forked process on this Node. */
export const forkSql: SpawnSql = () => {
  const child = fork(entry, [watchOption({ pid: process.pid, isParent: true, leads: false })], {
    serialization: 'advanced',
    execArgv: [],
    // standard output is for a command's result
    stdio: ['ignore', 2, 'inherit', 'ipc'],
  });
  return {
    send: (request) => void child.send(request, () => undefined),
    onMessage: (receive) => void child.on('message', (reply) => receive(reply as SqlReply)),
    onExit: (gone) => {
      child.once('error', (error) => gone(`could not be started: ${error.message}`));
      child.once('exit', (code, signal) =>
        gone(signal ? `was ended by ${signal}` : `ended with code ${code ?? 0}`),
      );
    },
    kill: () => void child.kill('SIGKILL'),
  };
};

export interface SqlInput extends Omit<SqlRequest, 'folder'> {
  /** Seconds after which the statement is ended. */
  readonly seconds: number;
}

/** Runs statements over the datasets of one workspace, each in a process of its own. */
export class SqlRunner {
  readonly #folder: string;
  readonly #spawn: SpawnSql;
  readonly #running = new Set<Promise<unknown>>();
  readonly #closing = new AbortController();

  constructor(folder: string, spawn: SpawnSql) {
    this.#folder = folder;
    this.#spawn = spawn;
  }

  /**
   * The result of one statement. Throws `cancelled` when the signal is aborted, `invalid-input` for a faulty
   * statement and at the time limit; the process has ended in either case.
   */
  async run(input: SqlInput, signal: AbortSignal): Promise<SqlResult> {
    const running = this.#run(input, AbortSignal.any([signal, this.#closing.signal]));
    this.#running.add(running);
    try {
      return await running;
    } finally {
      this.#running.delete(running);
    }
  }

  /** Ends all statements. */
  async close(): Promise<void> {
    this.#closing.abort();
    await Promise.allSettled(this.#running);
  }

  async #run({ seconds, ...request }: SqlInput, signal: AbortSignal): Promise<SqlResult> {
    if (signal.aborted) throw cancelled();
    const channel = this.#spawn();
    const { promise: ended, resolve: end } = Promise.withResolvers<string>();
    channel.onExit(end);
    const stop = (): void => channel.kill();
    let isLate = false;
    const timer = setTimeout(() => {
      isLate = true;
      stop();
    }, seconds * 1000);
    signal.addEventListener('abort', stop, { once: true });
    try {
      const reply = await Promise.race([
        new Promise<SqlReply>((resolve) => {
          channel.onMessage(resolve);
          channel.send({ folder: this.#folder, ...request });
        }),
        ended,
      ]);
      if (typeof reply === 'string')
        throw isLate ? late(seconds) : signal.aborted ? cancelled() : failed(reply);
      if ('error' in reply) throw WhetstoneError.from(reply.error);
      return reply.result;
    } finally {
      clearTimeout(timer);
      signal.removeEventListener('abort', stop);
      stop();
      // it has the workspace's file open until then
      await ended;
    }
  }
}

const cancelled = (): WhetstoneError =>
  new WhetstoneError('cancelled', 'The statement was cancelled; nothing was changed.');
const late = (seconds: number): WhetstoneError =>
  new WhetstoneError('invalid-input', `The statement was not finished after ${seconds} s, and was ended.`, {
    hint: 'Read fewer rows or columns, or allow it more time.',
  });
const failed = (reason: string): WhetstoneError =>
  new WhetstoneError('internal', `The process of the statement ${reason}.`, {
    hint: 'Nothing was changed. Try again; if it happens again, read fewer rows or columns.',
  });
