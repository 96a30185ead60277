import { protocol } from 'electron';
import { pageFile, pageHeaders } from '../headless/page.ts';
import { isPage } from './origin.ts';

/** Must be called before the app is ready. */
export const registerPageScheme = (): void =>
  protocol.registerSchemesAsPrivileged([
    { scheme: 'app', privileges: { standard: true, secure: true, supportFetchAPI: true, codeCache: true } },
  ]);

/** Serves the built page as `app://whetstone/`, and nothing else under that scheme. */
export const servePage = (folder: string): void =>
  protocol.handle('app', async ({ url, method }) => {
    const file = isPage(url) && method === 'GET' ? await pageFile(folder, new URL(url).pathname) : null;
    if (!file) return new Response('There is no such page.', { status: 404, headers: pageHeaders() });
    return new Response(file.bytes, { headers: { ...pageHeaders(), 'content-type': file.type } });
  });
