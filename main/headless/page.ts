import { readFile } from 'node:fs/promises';
import { extname, join, normalize, sep } from 'node:path';

/**
 * The page's content security policy, the same in both transports: everything from its own origin, no inline
 * script, no eval. Styles may be inline: the widgets position floating parts by style attributes. `socket`
 * is the loopback WebSocket's origin, if there is one.
 */
export const contentSecurityPolicy = (socket = ''): string =>
  [
    "default-src 'none'",
    "script-src 'self'",
    "style-src 'self' 'unsafe-inline'",
    "font-src 'self'",
    "img-src 'self' data: blob:",
    `connect-src 'self'${socket && ` ${socket}`}`,
    "worker-src 'self'",
    "frame-src 'none'",
    "object-src 'none'",
    "base-uri 'none'",
    "form-action 'none'",
    "frame-ancestors 'none'",
  ].join('; ');

/** Headers of every response with a file of the page. */
export const pageHeaders = (socket?: string): Record<string, string> => ({
  'content-security-policy': contentSecurityPolicy(socket),
  'x-content-type-options': 'nosniff',
  'referrer-policy': 'no-referrer',
  'cross-origin-opener-policy': 'same-origin',
  'cross-origin-resource-policy': 'same-origin',
});

const types: { readonly [extension: string]: string } = {
  '.html': 'text/html; charset=utf-8',
  '.js': 'text/javascript; charset=utf-8',
  '.css': 'text/css; charset=utf-8',
  '.json': 'application/json',
  '.svg': 'image/svg+xml',
  '.png': 'image/png',
  '.ico': 'image/x-icon',
  '.woff2': 'font/woff2',
  '.woff': 'font/woff',
  '.wasm': 'application/wasm',
  '.map': 'application/json',
};

/**
 * One file of the built page. `pathname` is the URL's path; `/` is the page itself (its views are in the
 * hash). Null if there is no such file, if the path leaves the folder, and for file types that the page does
 * not use.
 */
export async function pageFile(
  folder: string,
  pathname: string,
): Promise<{ readonly bytes: Buffer<ArrayBuffer>; readonly type: string } | null> {
  const path = place(folder, pathname);
  const type = path && types[extname(path)];
  if (!path || !type) return null;
  try {
    return { bytes: await readFile(path), type };
  } catch (error) {
    const { code } = error as NodeJS.ErrnoException;
    // an invalid file name does not exist
    if (code === 'ENOENT' || code === 'EISDIR' || code === 'ENOTDIR' || code === 'ENAMETOOLONG') return null;
    throw error;
  }
}

function place(folder: string, pathname: string): string | null {
  let name: string;
  try {
    name = decodeURIComponent(pathname);
  } catch (error) {
    if (error instanceof URIError) return null;
    throw error;
  }
  if (name.includes('\0')) return null;
  const path = normalize(join(folder, name === '/' ? 'index.html' : name));
  return path.startsWith(normalize(folder + sep)) ? path : null;
}
