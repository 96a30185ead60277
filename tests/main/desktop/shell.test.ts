import { EventEmitter } from 'node:events';
import { mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { beforeEach, afterAll, describe, expect, it, vi } from 'vitest';
import type { ToPage } from '../../../preload/wire/wire.ts';

/** A fake of Electron alone, which records the calls to it. The project's code is not mocked. */
const electron = vi.hoisted(() => ({
  windows: [] as { options: Record<string, unknown>; page: unknown }[],
  schemes: new Map<string, (request: { url: string; method: string }) => Promise<Response>>(),
  permissions: {} as Record<string, (...args: never[]) => unknown>,
  ipc: undefined as EventEmitter | undefined,
}));
vi.mock('electron', async () => {
  const { EventEmitter: Emitter } = await import('node:events');
  electron.ipc = new Emitter();
  class BrowserWindow extends Emitter {
    constructor(options: Record<string, unknown>) {
      super();
      electron.windows.push({ options, page: this });
    }
    maximize() {}
  }
  const keep = (name: string) => (handler: (...args: never[]) => unknown) => {
    electron.permissions[name] = handler;
  };
  return {
    BrowserWindow,
    ipcMain: electron.ipc,
    nativeTheme: { shouldUseDarkColors: false },
    screen: { getAllDisplays: () => [{ workArea: { x: 0, y: 0, width: 1920, height: 1080 } }] },
    protocol: {
      handle: (scheme: string, handler: (request: { url: string; method: string }) => Promise<Response>) =>
        electron.schemes.set(scheme, handler),
    },
    session: {
      defaultSession: {
        setPermissionRequestHandler: keep('request'),
        setPermissionCheckHandler: keep('check'),
        setDevicePermissionHandler: keep('device'),
      },
    },
  };
});

const { confine, denyPermissions, openWindow } = await import('../../../main/desktop/windows.ts');
const { servePage } = await import('../../../main/desktop/protocol.ts');
const { openPipe } = await import('../../../main/desktop/pipe.ts');
const { isPage } = await import('../../../main/desktop/origin.ts');
type Page = Parameters<typeof confine>[0];
type Handlers = Parameters<typeof openPipe>[0];

class FakePage extends EventEmitter {
  readonly mainFrame = { url: 'app://whetstone/' };
  readonly sent: ToPage[] = [];
  openHandler: () => { action: string } = () => ({ action: 'allow' });
  isDestroyed() {
    return false;
  }
  send(_channel: string, frame: ToPage) {
    this.sent.push(frame);
  }
  setWindowOpenHandler(handler: () => { action: string }) {
    this.openHandler = handler;
  }
  get page() {
    return this as unknown as Page;
  }
  /** True if navigation to `url` is prevented. */
  stops(event: string, url: string): boolean {
    let stopped = false;
    this.emit(event, {
      url,
      preventDefault: () => {
        stopped = true;
      },
    });
    return stopped;
  }
}

describe('addresses', () => {
  it.each(['app://whetstone/', 'app://whetstone/index.html#/runs/1'])('%s is the page', (address) =>
    expect(isPage(address)).toBe(true),
  );
  it.each([
    'app://whetstone.example/',
    'app://other/',
    'https://whetstone/',
    'file:///etc/passwd',
    'app://me@whetstone/',
    'about:blank',
    'nonsense',
    '',
  ])('%s is not the page', (address) => expect(isPage(address)).toBe(false));
});

describe('the window', () => {
  it('is isolated and sandboxed, without Node', () => {
    openWindow({ preload: '/p.cjs', state: '/absent/window.json', icon: '/i.png' });
    expect(electron.windows.at(-1)?.options.webPreferences).toMatchObject({
      preload: '/p.cjs',
      contextIsolation: true,
      sandbox: true,
      nodeIntegration: false,
      nodeIntegrationInWorker: false,
      nodeIntegrationInSubFrames: false,
      webSecurity: true,
      webviewTag: false,
    });
  });
  it.each(['will-navigate', 'will-frame-navigate', 'will-redirect'])('%s stays on the page', (event) => {
    const page = new FakePage();
    confine(page.page);
    expect(page.stops(event, 'https://example.org/')).toBe(true);
    expect(page.stops(event, 'app://whetstone/#/runs')).toBe(false);
  });
  it('opens no other window and embeds none', () => {
    const page = new FakePage();
    confine(page.page);
    expect(page.openHandler()).toEqual({ action: 'deny' });
    expect(page.stops('will-attach-webview', '')).toBe(true);
  });
  it('has no permission except writing to the clipboard', () => {
    denyPermissions();
    const asks = (permission: string, requestingUrl: string) => {
      const answer = vi.fn();
      electron.permissions.request(...([null, permission, answer, { requestingUrl }] as never[]));
      return answer.mock.calls[0][0] as boolean;
    };
    for (const permission of ['media', 'geolocation', 'notifications', 'clipboard-read', 'fullscreen'])
      expect(asks(permission, 'app://whetstone/')).toBe(false);
    expect(asks('clipboard-sanitized-write', 'app://whetstone/')).toBe(true);
    expect(asks('clipboard-sanitized-write', 'https://example.org/')).toBe(false);
    expect(electron.permissions.check(...([null, 'media', 'app://whetstone/'] as never[]))).toBe(false);
    expect(electron.permissions.device()).toBe(false);
  });
});

describe('app://', () => {
  const folder = mkdtempSync(join(tmpdir(), 'whetstone-app-'));
  writeFileSync(join(folder, 'index.html'), '<p>page</p>');
  afterAll(() => rmSync(folder, { recursive: true }));
  const get = async (url: string, method = 'GET') => {
    servePage(folder);
    return await electron.schemes.get('app')!({ url, method });
  };

  it('serves the page with its security policy', async () => {
    const response = await get('app://whetstone/');
    expect(response.status).toBe(200);
    expect(await response.text()).toBe('<p>page</p>');
    expect(response.headers.get('content-security-policy')).toContain("script-src 'self';");
  });
  it('serves nothing for another host or another method', async () => {
    expect((await get('app://other/')).status).toBe(404);
    expect((await get('app://whetstone/', 'POST')).status).toBe(404);
    expect((await get('app://whetstone/..%2f..%2fetc/passwd.html')).status).toBe(404);
  });
});

describe('the frame pipe', () => {
  let ended: boolean;
  /** One call and one feed are enough for these tests. */
  const handlers = {
    system: {
      settings: () => ({ theme: 'dark' }),
      engine: async function* (_input: unknown, signal: AbortSignal) {
        yield { state: 'ready', runId: null, error: null };
        await new Promise((resolve) => signal.addEventListener('abort', resolve));
        ended = true;
      },
    },
  } as unknown as Handlers;
  const say = (page: FakePage, frame: unknown, senderFrame: unknown = page.mainFrame) =>
    electron.ipc!.emit('whetstone:to-services', { sender: page, senderFrame }, frame);
  const call = { type: 'call', id: 1, path: 'system.settings', input: {} };
  let pipe: ReturnType<typeof openPipe> | undefined;
  let page: FakePage;
  beforeEach(() => {
    pipe?.close();
    pipe = openPipe(handlers);
    page = new FakePage();
    pipe.join(page.page);
    ended = false;
    vi.spyOn(console, 'warn').mockImplementation(() => undefined);
  });

  it('carries a call and its reply', async () => {
    say(page, call);
    await vi.waitFor(() => expect(page.sent).toEqual([{ type: 'reply', id: 1, output: { theme: 'dark' } }]), {
      timeout: 60_000,
    });
  });
  it.each([
    ['a frame inside the page', () => ({ url: 'app://whetstone/' })],
    ['a closed frame', () => null],
  ])('ignores %s', async (_name, frame) => {
    say(page, call, frame());
    await new Promise(setImmediate);
    expect(page.sent).toEqual([]);
  });
  it('ignores a foreign page, and a window that was not registered', async () => {
    page.mainFrame.url = 'https://example.org/';
    say(page, call);
    const stranger = new FakePage();
    say(stranger, call);
    await new Promise(setImmediate);
    expect([...page.sent, ...stranger.sent]).toEqual([]);
  });
  it.each([
    ['a reload', () => page.emit('did-start-navigation', { isMainFrame: true, isSameDocument: false })],
    ['a crash', () => page.emit('render-process-gone')],
    ['the end of the window', () => page.emit('destroyed')],
    ['the end of the app', () => pipe!.close()],
  ])('ends its feeds with %s', async (_name, happen) => {
    say(page, { type: 'open', id: 1, path: 'system.engine', input: {}, credits: 2 });
    await vi.waitFor(() => expect(page.sent).toHaveLength(1), { timeout: 60_000 });
    page.emit('did-start-navigation', { isMainFrame: true, isSameDocument: true });
    expect(ended).toBe(false);
    happen();
    await vi.waitFor(() => expect(ended).toBe(true), { timeout: 60_000 });
  });
  it('resets after a reload: ids may repeat', async () => {
    say(page, call);
    await vi.waitFor(() => expect(page.sent).toHaveLength(1), { timeout: 60_000 });
    page.emit('did-start-navigation', { isMainFrame: true, isSameDocument: false });
    say(page, call);
    await vi.waitFor(() => expect(page.sent).toHaveLength(2), { timeout: 60_000 });
  });
});
