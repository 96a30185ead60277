import { fork, type ChildProcess } from 'node:child_process';
import { once } from 'node:events';
import { join } from 'node:path';
import type { ToPage, ToServices } from '../../preload/wire/wire.ts';
import type { Transport } from '../../renderer/lib/transport.ts';

const entry = join(import.meta.dirname, 'served-child.ts');
type Events = Parameters<Transport['start']>[0];

/** Services in a process of their own that can be killed and started again, as a page's transport. */
export class KillableServices implements Transport {
  readonly #args: readonly string[];
  #child: ChildProcess | null = null;
  #events: Events | null = null;

  constructor(workspace: string, settings: string) {
    this.#args = [workspace, settings];
  }

  start(events: Events): () => void {
    this.#events = events;
    return () => undefined;
  }

  send(frame: ToServices): void {
    this.#child?.send(frame);
  }

  async open(): Promise<void> {
    const child = fork(entry, this.#args, { serialization: 'advanced', execArgv: [] });
    const [ready] = (await once(child, 'message')) as [{ type: string }];
    if (ready.type !== 'ready') throw new Error(`The services answered ${JSON.stringify(ready)} first.`);
    child.on('message', (frame) => this.#events?.frame(frame as ToPage));
    child.on('error', () => undefined); // a frame sent to a process that has just been killed
    this.#child = child;
    this.#events?.state('open');
  }

  /** Ends them without warning. */
  async kill(): Promise<void> {
    const child = this.#child;
    if (!child) return;
    this.#child = null;
    child.removeAllListeners('message');
    const ended = once(child, 'exit');
    child.kill('SIGKILL');
    await ended;
    this.#events?.state('lost');
  }
}
