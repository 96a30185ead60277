import { protocol } from 'electron';
import { pageFile, pageHeaders } from '../page.ts';

export const pageOrigin = 'app://whetstone';

/** Must be called before the app is ready. */
export const registerPageScheme = (): void =>
  protocol.registerSchemesAsPrivileged([{ scheme: 'app', privileges: { standard: true, secure: true, supportFetchAPI: true, codeCache: true } }]);

/** Serves the built page as `app://whetstone/`, and nothing else under that scheme. */
export const servePage = (folder: string): void =>
  protocol.handle('app', async ({ url, method }) => {
    const { origin, host, pathname } = new URL(url);
    const isOurs = origin === pageOrigin || `app://${host}` === pageOrigin;
    const file = isOurs && method === 'GET' ? await pageFile(folder, pathname) : null;
    if (!file) return new Response('There is no such page.', { status: 404, headers: pageHeaders() });
    return new Response(file.bytes, { headers: { ...pageHeaders(), 'content-type': file.type } });
  });

/** Whether an address is the page itself: the only place that a window may show and that messages may come from. */
export function isPage(address: string): boolean {
  if (!URL.canParse(address)) return false;
  const { protocol: scheme, host } = new URL(address);
  return `${scheme}//${host}` === pageOrigin;
}
