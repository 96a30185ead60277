import type * as z from 'zod';
import { WhetstoneError } from '../../engine/common/errors.ts';
import type { Endpoint, Handlers } from '../../preload/contract/define.ts';
import { contract, type WhetstoneContract } from '../../preload/contract/index.ts';
import type { ToPage, ToServices } from '../../preload/wire/wire.ts';
import { OpenFeed } from './open-feed.ts';

export type AllHandlers = { readonly [D in keyof WhetstoneContract]: Handlers<WhetstoneContract[D]> };

/** A connection to one page, over any transport of frames. */
export interface Connection {
  receive(frame: unknown): void;
  /** Ends every feed, after the page has disconnected. */
  close(): void;
}

type Handler = (input: unknown, signal: AbortSignal) => unknown;

const domains: { readonly [domain: string]: { readonly [name: string]: Endpoint } } = contract;

/**
 * Validates frames, input and output against the contract, runs handlers, and keeps feeds within their
 * credits.
 */
export function connection(handlers: AllHandlers, send: (frame: ToPage) => void): Connection {
  const feeds = new Map<number, OpenFeed>();
  let open = true;
  const sendIfOpen = (frame: ToPage): void => {
    if (open) send(frame);
  };

  async function answer({ id, path, input }: ToServices & { type: 'call' }): Promise<void> {
    try {
      const { endpoint, handler } = find(handlers, path, 'call');
      const output = await handler(checked(endpoint.input, input, path), new AbortController().signal);
      sendIfOpen({ type: 'reply', id, output: checkedOutput(endpoint.output, output, path) });
    } catch (error) {
      sendIfOpen({ type: 'refused', id, error: factsOf(error, path) });
    }
  }

  async function serveFeed({ id, path, input, credits }: ToServices & { type: 'open' }): Promise<void> {
    const feed = new OpenFeed(credits);
    feeds.set(id, feed);
    try {
      const { endpoint, handler } = find(handlers, path, 'feed');
      const values = handler(checked(endpoint.input, input, path), feed.signal) as AsyncIterable<unknown>;
      await feed.pass(values, (value) =>
        sendIfOpen({ type: 'value', id, value: checkedOutput(endpoint.output, value, path) }),
      );
      if (feeds.get(id) === feed) sendIfOpen({ type: 'end', id });
    } catch (error) {
      if (feeds.get(id) === feed) sendIfOpen({ type: 'end', id, error: factsOf(error, path) });
    } finally {
      feeds.delete(id);
    }
  }

  function closeFeed(id: number): void {
    const feed = feeds.get(id);
    feeds.delete(id);
    feed?.close();
  }

  return {
    receive(raw) {
      if (!isFrame(raw)) return;
      if (raw.type === 'call') void answer(raw);
      else if (raw.type === 'open') {
        if (!feeds.has(raw.id)) void serveFeed(raw);
      } else if (raw.type === 'close') closeFeed(raw.id);
      else feeds.get(raw.id)?.grant(raw.credits); // the feed may have ended just now
    },
    close() {
      open = false;
      for (const id of [...feeds.keys()]) closeFeed(id);
    },
  };
}

/** The endpoint of a path, with its handler. */
function find(
  handlers: AllHandlers,
  path: string,
  kind: Endpoint['kind'],
): { endpoint: Endpoint; handler: Handler } {
  const [domain, name, ...rest] = path.split('.');
  const endpoint =
    rest.length === 0 && Object.hasOwn(domains, domain) && Object.hasOwn(domains[domain], name)
      ? domains[domain][name]
      : undefined;
  if (endpoint?.kind !== kind)
    throw new WhetstoneError('not-found', `There is no ${kind} '${path}'.`, {
      where: path,
      hint: 'The page and the services have different versions: reload the page.',
    });
  // the handler table's type guarantees the match with the contract
  return {
    endpoint,
    handler: (handlers as unknown as Record<string, Record<string, Handler>>)[domain][name],
  };
}

/** Drops malformed frames, which have no id to reply to. */
function isFrame(raw: unknown): raw is ToServices {
  if (
    typeof raw !== 'object' ||
    raw === null ||
    !('type' in raw) ||
    !('id' in raw) ||
    typeof raw.id !== 'number'
  )
    return false;
  const isCount = 'credits' in raw && Number.isSafeInteger(raw.credits) && Number(raw.credits) >= 0;
  const hasPath = 'path' in raw && typeof raw.path === 'string';
  return (
    (raw.type === 'call' && hasPath) ||
    (raw.type === 'open' && hasPath && isCount) ||
    (raw.type === 'credit' && isCount) ||
    raw.type === 'close'
  );
}

function checked(schema: z.ZodType, value: unknown, path: string): unknown {
  const parsed = schema.safeParse(value);
  if (parsed.success) return parsed.data;
  const [issue] = parsed.error.issues;
  throw new WhetstoneError('invalid-input', `${path}: ${issue.message}`, {
    where: issue.path.join('.') || path,
  });
}

function checkedOutput(schema: z.ZodType, value: unknown, path: string): unknown {
  const parsed = schema.safeParse(value);
  if (parsed.success) return parsed.data;
  const [issue] = parsed.error.issues;
  throw new WhetstoneError(
    'internal',
    `The output of ${path} does not match its contract: ${issue.message}`,
    {
      where: issue.path.join('.') || path,
    },
  );
}

/** Sends expected errors to the page unchanged; logs unexpected ones with their stack too. */
function factsOf(error: unknown, path: string) {
  const known = WhetstoneError.from(error);
  if (known.kind === 'internal') console.error(`${path}:`, error);
  return known.facts;
}
