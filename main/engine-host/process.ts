import { WhetstoneError } from '../../engine/common/errors.ts';
import type {
  CallName,
  CallProgress,
  EngineCalls,
  EngineEvent,
  FromEngine,
  ToEngine,
} from '../../engine/schema/messages.ts';
import type { SpawnEngine } from './channel.ts';

/** Options of a call: `signal` abandons it, `report` receives its progress. */
export interface CallOptions<N extends CallName = never> {
  readonly signal?: AbortSignal;
  report?(this: void, progress: CallProgress<N>): void;
}

export const cancelled = (): WhetstoneError =>
  new WhetstoneError('cancelled', 'The call was cancelled before it was answered.');

/** A live engine process: answers calls, forwards events, reports its end once. */
export class EngineProcess {
  readonly pid: number | undefined;
  /** Resolves when the engine has loaded; rejects if it died before, or took too long. */
  readonly ready: Promise<void>;
  onEvent: (event: EngineEvent) => void = () => undefined;
  onGone: (error: WhetstoneError) => void = () => undefined;
  #channel;
  #waiting = new Map<
    number,
    {
      resolve: (output: unknown) => void;
      reject: (error: WhetstoneError) => void;
      report?: (progress: never) => void;
    }
  >();
  #next = 0;
  #gone: WhetstoneError | null = null;
  #settleReady: { resolve: () => void; reject: (error: WhetstoneError) => void };

  constructor(spawn: SpawnEngine, startMs: number) {
    const { promise, resolve, reject } = Promise.withResolvers<void>();
    this.ready = promise;
    this.#settleReady = { resolve, reject };
    // callers await it; an unawaited rejection must not end main
    promise.catch(() => undefined);
    this.#channel = spawn();
    this.pid = this.#channel.pid;
    const late = setTimeout(() => this.kill(`did not load within ${startMs / 1000} s`), startMs);
    promise.then(
      () => clearTimeout(late),
      () => clearTimeout(late),
    );
    this.#channel.onMessage((message) => this.#receive(message));
    this.#channel.onExit((reason) => this.#end(reason));
  }

  send(message: ToEngine): void {
    this.#channel.send(message);
  }

  async call<N extends CallName>(
    name: N,
    input: EngineCalls[N]['input'],
    { signal, report }: CallOptions<N> = {},
  ): Promise<EngineCalls[N]['output']> {
    await this.ready;
    if (this.#gone) throw this.#gone;
    if (signal?.aborted) throw cancelled();
    this.#next += 1;
    const id = this.#next;
    const answer = new Promise<unknown>((resolve, reject) =>
      this.#waiting.set(id, { resolve, reject, ...(report && { report }) }),
    );
    this.send({ type: 'call', id, name, input });
    const cancel = (): void => this.send({ type: 'cancel', id });
    signal?.addEventListener('abort', cancel);
    try {
      // the protocol pairs each call's name with its output
      return (await answer) as EngineCalls[N]['output'];
    } finally {
      signal?.removeEventListener('abort', cancel);
    }
  }

  /** Kills the process; `reason` is reported to its users. */
  kill(reason: string): void {
    this.#end(reason);
    this.#channel.kill();
  }

  #receive(message: FromEngine): void {
    // late messages of a killed process are dropped: the run may be in its next attempt
    if (this.#gone) return;
    switch (message.type) {
      case 'ready':
        this.#settleReady.resolve();
        break;
      case 'event':
        this.onEvent(message.event);
        break;
      case 'progress':
        this.#waiting.get(message.id)?.report?.(message.progress as never);
        break;
      case 'reply':
        this.#take(message.id)?.resolve(message.output);
        break;
      case 'refused':
        this.#take(message.id)?.reject(WhetstoneError.from(message.error));
        break;
    }
  }

  #take(id: number) {
    const call = this.#waiting.get(id);
    this.#waiting.delete(id);
    return call;
  }

  #end(reason: string): void {
    if (this.#gone) return;
    this.#gone = new WhetstoneError('device-failed', `The engine process ${reason}.`, {
      hint: 'A run in progress can be resumed from its newest checkpoint.',
    });
    this.#settleReady.reject(this.#gone);
    for (const { reject } of this.#waiting.values()) reject(this.#gone);
    this.#waiting.clear();
    this.onGone(this.#gone);
  }
}
