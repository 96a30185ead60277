/**
 * Addresses are in the hash, so that a view can be copied, bookmarked and opened again under any transport.
 */
export interface Route {
  /** Path segments, decoded: `#/runs/abc/samples` is `['runs', 'abc', 'samples']`. */
  readonly path: readonly string[];
  readonly query: Readonly<Record<string, string>>;
}

/** Parses `#/runs/abc?tab=x`; an invalid address gives the empty path. */
export function parseHash(hash: string): Route {
  const text = hash.replace(/^#/, '');
  if (!text.startsWith('/')) return { path: [], query: {} };
  const [path, query = ''] = text.split('?', 2);
  return {
    path: path.split('/').filter(Boolean).map(decodeURIComponent),
    query: Object.fromEntries(new URLSearchParams(query)),
  };
}

/** The address of a view; empty query values are left out. */
export function href(
  path: readonly string[],
  query: Readonly<Record<string, string | undefined>> = {},
): string {
  const kept = Object.entries(query).filter((entry): entry is [string, string] => Boolean(entry[1]));
  const tail = kept.length ? `?${new URLSearchParams(kept)}` : '';
  return `#/${path.map(encodeURIComponent).join('/')}${tail}`;
}

class Router {
  route = $state.raw<Route>({ path: [], query: {} });

  start(): () => void {
    const read = () => {
      this.route = parseHash(location.hash);
    };
    read();
    addEventListener('hashchange', read);
    return () => removeEventListener('hashchange', read);
  }

  go(path: readonly string[], query: Readonly<Record<string, string | undefined>> = {}): void {
    this.open(href(path, query));
  }

  /** Opens an address that `href` made. */
  open(address: string): void {
    location.hash = address;
  }

  /** Changes the address without a history entry, for filters and tabs. */
  replace(path: readonly string[], query: Readonly<Record<string, string | undefined>> = {}): void {
    history.replaceState(history.state, '', href(path, query));
    this.route = parseHash(location.hash);
  }
}

export const router = new Router();
