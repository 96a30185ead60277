import type { ErrorFacts } from '../../engine/common/errors.ts';

/**
 * Frames from a page to the services. `id` is chosen by the page and names one call or one feed of this
 * connection; it is never used twice.
 */
export type ToServices =
  | { readonly type: 'call'; readonly id: number; readonly path: string; readonly input: unknown }
  /** Opens a feed with so many credits; each value that arrives uses one up. */
  | {
      readonly type: 'open';
      readonly id: number;
      readonly path: string;
      readonly input: unknown;
      readonly credits: number;
    }
  /** Grants more. Without credits the service holds back and merges; the page never gets a backlog. */
  | { readonly type: 'credit'; readonly id: number; readonly credits: number }
  /** Closes a feed. No more values arrive for this id. */
  | { readonly type: 'close'; readonly id: number };

/** Frames from the services to a page. */
export type ToPage =
  | { readonly type: 'reply'; readonly id: number; readonly output: unknown }
  | { readonly type: 'refused'; readonly id: number; readonly error: ErrorFacts }
  | { readonly type: 'value'; readonly id: number; readonly value: unknown }
  /** The feed has ended, with an error or after its last value. */
  | { readonly type: 'end'; readonly id: number; readonly error?: ErrorFacts };

/**
 * Options of the `cbor-x` codec on both ends of the loopback transport; one WebSocket message is one frame.
 */
export const codecOptions = { useRecords: false, mapsAsObjects: true, tagUint8Array: false } as const;

/** The WebSocket's path on the page's own origin. */
export const socketPath = '/socket';
/**
 * Subprotocols that the page offers: this one, and `token.<64 hex digits>`. The service answers with the
 * first.
 */
export const socketProtocol = 'whetstone.1';
/**
 * The page's URL is `http://127.0.0.1:<port>/#token=<64 hex digits>`; it keeps the token for the tab and
 * clears the hash.
 */
export const tokenHash = '#token=';

/**
 * The object that the desktop's preload exposes as `window.whetstoneIpc`: the same frames by structured
 * clone.
 */
export interface WhetstoneIpc {
  send(frame: ToServices): void;
  /** Delivers every frame for this page; the returned function ends the delivery. */
  listen(receive: (frame: ToPage) => void): () => void;
}
