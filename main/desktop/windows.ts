import { BrowserWindow, nativeTheme, screen, session, type WebContents } from 'electron';
import { isPage, pageOrigin } from './origin.ts';
import { reachable, readWindowState, writeWindowState } from './window-state.ts';

export interface WindowPlaces {
  /** The bundled preload, one CommonJS file. */
  readonly preload: string;
  /** File with the window's bounds. */
  readonly state: string;
  readonly icon: string;
}

/** The workbench's window: a sandboxed page that cannot navigate, open windows or request permissions. */
export function openWindow({ preload, state, icon }: WindowPlaces): BrowserWindow {
  const { bounds, maximized } = readWindowState(state);
  const window = new BrowserWindow({
    width: 1440,
    height: 900,
    minWidth: 720,
    minHeight: 480,
    ...reachable(
      bounds,
      screen.getAllDisplays().map((display) => display.workArea),
    ),
    show: false,
    icon,
    title: 'Whetstone',
    backgroundColor: nativeTheme.shouldUseDarkColors ? '#16181d' : '#fbfbfa',
    webPreferences: {
      preload,
      contextIsolation: true,
      sandbox: true,
      nodeIntegration: false,
      nodeIntegrationInWorker: false,
      nodeIntegrationInSubFrames: false,
      webSecurity: true,
      webviewTag: false,
      spellcheck: false,
      navigateOnDragDrop: false,
    },
  });
  if (maximized) window.maximize();
  window.once('ready-to-show', () => window.show());
  window.on('close', () =>
    writeWindowState(state, { bounds: window.getNormalBounds(), maximized: window.isMaximized() }),
  );
  return window;
}

export const showPage = (window: BrowserWindow): Promise<void> => window.loadURL(`${pageOrigin}/`);

/**
 * Prevents every page from navigating away, opening another, or embedding one. To be called for every
 * WebContents.
 */
export function confine(page: WebContents): void {
  const refuse = (event: { preventDefault(): void; readonly url: string }) => {
    if (!isPage(event.url)) event.preventDefault();
  };
  page.on('will-navigate', refuse);
  page.on('will-frame-navigate', refuse);
  page.on('will-redirect', refuse);
  page.on('will-attach-webview', (event) => event.preventDefault());
  page.setWindowOpenHandler(() => ({ action: 'deny' }));
}

/** Denies camera, microphone, location and notifications: a page may only write to the clipboard. */
export function denyPermissions(): void {
  const { defaultSession } = session;
  const isHarmless = (permission: string, address: string) =>
    permission === 'clipboard-sanitized-write' && isPage(address);
  defaultSession.setPermissionRequestHandler((_page, permission, answer, { requestingUrl }) =>
    answer(isHarmless(permission, requestingUrl)),
  );
  defaultSession.setPermissionCheckHandler((_page, permission, origin) => isHarmless(permission, origin));
  defaultSession.setDevicePermissionHandler(() => false);
}
