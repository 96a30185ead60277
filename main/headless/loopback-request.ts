import type { IncomingMessage } from 'node:http';

/** What a request is refused with. */
export interface Refusal {
  readonly status: number;
  readonly text: string;
}

/** Longest address, in characters: far more than any of ours has. */
const longestAddress = 2048;

/**
 * Names of this machine alone, as browsers write them, so that no foreign page reaches us by a name of its
 * own. Any port: SSH forwards change it.
 */
const loopbackHost = /^(?:localhost|127\.0\.0\.1|\[::1\])(?::(\d{1,5}))?$/i;

/**
 * How often a header was sent: Node keeps the first of several, and another program between might keep the
 * last.
 */
const times = ({ rawHeaders }: IncomingMessage, name: string): number =>
  rawHeaders.filter((each, i) => i % 2 === 0 && each.toLowerCase() === name).length;

/**
 * Why a request is no page's of ours, or null. It names this machine as its host, once; it comes from no
 * other origin; and its address is a plain path.
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
    return { status: 403, text: 'Only this machine may ask.' };
  if (Number(named[1] ?? 80) > 65_535) return { status: 400, text: 'There is no such port.' };
  if (url.length > longestAddress) return { status: 414, text: 'This address is too long.' };
  // an address that names a host again might name another
  if (!url.startsWith('/') || !URL.canParse(`http://${host}${url}`))
    return { status: 400, text: 'This is no address of a page.' };
  return null;
}

export const isSameOrigin = ({ headers: { origin, host } }: IncomingMessage): boolean =>
  origin === `http://${host}`;
