import { WhetstoneError } from '../../engine/common/errors.ts';
import type { WhetstoneClient } from '../../preload/contract/index.ts';
import type { ToPage } from '../../preload/wire/wire.ts';
import type { ConnectionState, Transport } from './transport.ts';

interface PendingCall {
  readonly resolve: (output: unknown) => void;
  readonly reject: (error: WhetstoneError) => void;
}
interface OpenFeed {
  readonly onValue: (value: unknown) => void;
  readonly onEnd?: (error?: WhetstoneError) => void;
}

/** Values a feed may send ahead of the page: enough to hide the round trip, too few for a backlog. */
const CREDITS = 2;
/**
 * Delay before a credit is returned, which gives the page time to draw: about ten values a second, whatever
 * the services could send.
 */
const SHOWN_AFTER_MS = 100;

const lineLost = () =>
  new WhetstoneError('cancelled', 'The connection to the services was lost before an answer came.', {
    hint: 'It reconnects by itself; try again then.',
  });

/**
 * The contract's client over one transport. It has no list of endpoints: `client.runs.get(input)` sends the
 * call `runs.get`, and a second argument (a callback for values) makes it a feed, exactly as the types say.
 * Losing the connection rejects every call and ends every feed with an error; callers open a feed again (see
 * `follow`).
 */
export class Connection {
  readonly client: WhetstoneClient;
  private readonly transport: Transport;
  private readonly calls = new Map<number, PendingCall>();
  private readonly feeds = new Map<number, OpenFeed>();
  private readonly listeners = new Set<(state: ConnectionState) => void>();
  private nextId = 1;
  state: ConnectionState = 'connecting';

  constructor(transport: Transport) {
    this.transport = transport;
    this.client = this.makeClient();
  }

  start(): () => void {
    return this.transport.start({
      frame: (frame) => this.receive(frame),
      state: (state) => this.setState(state),
    });
  }

  onState(listener: (state: ConnectionState) => void): () => void {
    this.listeners.add(listener);
    listener(this.state);
    return () => this.listeners.delete(listener);
  }

  private setState(state: ConnectionState): void {
    this.state = state;
    if (state !== 'open') {
      const [calls, feeds] = [[...this.calls.values()], [...this.feeds.values()]];
      this.calls.clear();
      this.feeds.clear();
      for (const { reject } of calls) reject(lineLost());
      for (const { onEnd } of feeds) onEnd?.(lineLost());
    }
    for (const listener of this.listeners) listener(state);
  }

  private receive(frame: ToPage): void {
    switch (frame.type) {
      case 'reply':
        this.calls.get(frame.id)?.resolve(frame.output);
        this.calls.delete(frame.id);
        break;
      case 'refused':
        this.calls.get(frame.id)?.reject(WhetstoneError.from(frame.error));
        this.calls.delete(frame.id);
        break;
      case 'value': {
        const feed = this.feeds.get(frame.id);
        if (!feed) break;
        feed.onValue(frame.value);
        setTimeout(() => this.grant(frame.id), SHOWN_AFTER_MS);
        break;
      }
      case 'end': {
        const feed = this.feeds.get(frame.id);
        this.feeds.delete(frame.id);
        feed?.onEnd?.(frame.error && WhetstoneError.from(frame.error));
        break;
      }
    }
  }

  private grant(id: number): void {
    if (this.feeds.has(id) && this.state === 'open') this.transport.send({ type: 'credit', id, credits: 1 });
  }

  private call(path: string, input: unknown): Promise<unknown> {
    return new Promise((resolve, reject) => {
      if (this.state !== 'open') {
        reject(lineLost());
        return;
      }
      const id = this.nextId++;
      this.calls.set(id, { resolve, reject });
      this.transport.send({ type: 'call', id, path, input });
    });
  }

  private feed(
    path: string,
    input: unknown,
    onValue: OpenFeed['onValue'],
    onEnd?: OpenFeed['onEnd'],
  ): () => void {
    if (this.state !== 'open') {
      queueMicrotask(() => onEnd?.(lineLost()));
      return () => undefined;
    }
    const id = this.nextId++;
    this.feeds.set(id, { onValue, onEnd });
    this.transport.send({ type: 'open', id, path, input, credits: CREDITS });
    return () => {
      if (this.feeds.delete(id) && this.state === 'open') this.transport.send({ type: 'close', id });
    };
  }

  private makeClient(): WhetstoneClient {
    const domain = (name: string) =>
      new Proxy(
        {},
        {
          get:
            (_, endpoint) => (input: unknown, onValue?: OpenFeed['onValue'], onEnd?: OpenFeed['onEnd']) => {
              const path = `${name}.${String(endpoint)}`;
              return onValue ? this.feed(path, input, onValue, onEnd) : this.call(path, input);
            },
        },
      );
    const domains = new Map<string, object>();
    return new Proxy(
      {},
      {
        get: (_, name) => {
          if (typeof name !== 'string' || name === 'then') return undefined;
          if (!domains.has(name)) domains.set(name, domain(name));
          return domains.get(name);
        },
      },
    ) as WhetstoneClient;
  }

  /**
   * Keeps a feed open across lost connections: `open` is called now and after each reconnection. Ends when
   * the feed does.
   */
  follow(
    open: (onEnd: (error?: unknown) => void) => () => void,
    onError: (error: WhetstoneError) => void = () => undefined,
  ): () => void {
    let close: (() => void) | null = null;
    let over = false;
    const release = this.onState((state) => {
      if (over) return;
      if (state !== 'open') {
        close = null;
        return;
      }
      close = open((error) => {
        close = null;
        if (this.state !== 'open') return;
        over = true;
        if (error) onError(WhetstoneError.from(error));
      });
    });
    return () => {
      over = true;
      release();
      close?.();
    };
  }
}
