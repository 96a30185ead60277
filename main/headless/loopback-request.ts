import type { IncomingMessage } from 'node:http';

/** Status and text of a refused request. */
export interface Refusal {
  readonly status: number;
  readonly text: string;
}

/** Maximum address length, in characters: far more than the page needs. */
const longestAddress = 2048;

/**
 * Names of this machine, as browsers write them, so that a foreign page cannot reach the server through a
 * name of its own (DNS rebinding). Any port: SSH forwards change it.
 */
const loopbackHost = /^(?:localhost|127\.0\.0\.1|\[::1\])(?::(\d{1,5}))?$/i;

/**
 * Number of times a header was sent: Node keeps the first of several, and another program between might keep
 * the last.
 */
const times = ({ rawHeaders }: IncomingMessage, name: string): number =>
  rawHeaders.filter((each, i) => i % 2 === 0 && each.toLowerCase() === name).length;

/**
 * The reason to refuse a request, or null for one of our pages: its host is this machine, given once; it has
 * no other origin; and its address is a plain path.
 */
export function refusalOf(request: IncomingMessage): Refusal | null {
  const {
    headers: { host = '', origin },
    url = '',
  } = request;
  if (times(request, 'host') !== 1) return { status: 400, text: 'A request names one host.' };
  if (times(request, 'origin') > 1) return { status: 400, text: 'A request has one origin.' };
  const named = loopbackHost.exec(host);
  if (!named || (origin !== undefined && !isSameOrigin(request)))
    return { status: 403, text: 'Only this machine may connect.' };
  if (Number(named[1] ?? 80) > 65_535) return { status: 400, text: 'There is no such port.' };
  if (url.length > longestAddress) return { status: 414, text: 'This address is too long.' };
  // an absolute address might name another host
  if (!url.startsWith('/') || !URL.canParse(`http://${host}${url}`))
    return { status: 400, text: 'This is not an address of the page.' };
  return null;
}

export const isSameOrigin = ({ headers: { origin, host } }: IncomingMessage): boolean =>
  origin === `http://${host}`;
