import { Encoder } from 'cbor-x/index-no-eval';
import { KeyRing } from './key-ring.ts';
import { codecOptions, socketPath, socketProtocol, tokenHash } from '../../preload/wire/wire.ts';
import type { ToPage, ToServices, WhetstoneIpc } from '../../preload/wire/wire.ts';

declare global {
  interface Window {
    whetstoneIpc?: WhetstoneIpc;
  }
}

/** `refused`: the service does not accept this page's token; trying again would not help. */
export type ConnectionState = 'connecting' | 'open' | 'lost' | 'refused';

/** Carries frames; reports when the connection opens and breaks. */
export interface Transport {
  send(frame: ToServices): void;
  start(events: { frame(frame: ToPage): void; state(state: ConnectionState): void }): () => void;
}

/** The desktop's transport. */
export const ipcTransport = (ipc: WhetstoneIpc): Transport => ({
  send: (frame) => ipc.send(frame),
  start({ frame, state }) {
    const release = ipc.listen(frame);
    state('open');
    return release;
  },
});

const tokenKey = 'whetstone.token';
const keep = (token: string): void => sessionStorage.setItem(tokenKey, token);

/** Removes the token from the address (once) and keeps it for this tab. */
export function takeToken(): string | null {
  if (location.hash.startsWith(tokenHash)) {
    keep(location.hash.slice(tokenHash.length));
    history.replaceState(null, '', `${location.pathname}${location.search}#/`);
  }
  return sessionStorage.getItem(tokenKey);
}

/** Time after which a connection that has not opened is given up and tried again. */
const OPENS_WITHIN_MS = 10_000;

/** Time that a page without a token waits for another tab before it reports that it has none. */
const ASKED_MS = 1000;

const socketWith = (token: string | null): WebSocket =>
  new WebSocket(`${location.protocol === 'https:' ? 'wss' : 'ws'}://${location.host}${socketPath}`, [
    socketProtocol,
    `token.${token ?? ''}`,
  ]);

/**
 * The browser's transport: CBOR frames over a WebSocket of the page's own origin, reopened with growing
 * pauses.
 */
export function socketTransport(first: string | null): Transport {
  const codec = new Encoder(codecOptions);
  let socket: WebSocket | null = null;
  /** The newest connection; events of older ones are ignored. */
  let newest: WebSocket | null = null;
  let token = first;
  return {
    send(frame) {
      socket?.send(new Uint8Array(codec.encode(frame)));
    },
    start({ frame, state }) {
      let timer: ReturnType<typeof setTimeout> | undefined;
      let closed = false;
      let failures = 0;
      const keys = new KeyRing((other) => {
        if (closed || socket !== null || other === token) return;
        token = other;
        keep(other);
        clearTimeout(timer);
        open();
      });
      const open = () => {
        let opened = false;
        const until = performance.now() + OPENS_WITHIN_MS;
        const line = socketWith(token);
        newest = line;
        line.binaryType = 'arraybuffer';
        const late = setTimeout(() => line.close(), OPENS_WITHIN_MS);
        line.onopen = () => {
          clearTimeout(late);
          opened = true;
          failures = 0;
          socket = line;
          keys.share(token);
          state('open');
        };
        line.onmessage = ({ data }) => frame(codec.decode(new Uint8Array(data as ArrayBuffer)) as ToPage);
        line.onclose = () => {
          clearTimeout(late);
          if (closed || line !== newest) return;
          socket = null;
          keys.share(null);
          failures += 1;
          // A page cannot read the status of a failed upgrade: it requests itself to tell a wrong token from a
          // dead service, at every failure, as restarted services have another one.
          const settle = (next: ConnectionState) => {
            if (!closed && socket === null) state(next);
          };
          const refused = () => {
            settle('refused');
            if (!closed && socket === null) keys.ask();
          };
          if (opened || performance.now() >= until) state('lost');
          else void fetch(location.pathname, { method: 'HEAD' }).then(refused, () => settle('lost'));
          timer = setTimeout(open, Math.min(5000, 250 * 2 ** Math.min(failures, 5)));
        };
      };
      state('connecting');
      if (token) open();
      else {
        keys.ask();
        timer = setTimeout(() => state('refused'), ASKED_MS);
      }
      return () => {
        closed = true;
        clearTimeout(timer);
        keys.close();
        socket?.close();
      };
    },
  };
}

export const defaultTransport = (): Transport =>
  window.whetstoneIpc ? ipcTransport(window.whetstoneIpc) : socketTransport(takeToken());
