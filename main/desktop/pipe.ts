import { ipcMain, type IpcMainEvent, type WebContents } from 'electron';
import { toPageChannel, toServicesChannel } from '../../preload/wire/channels.ts';
import { connection, type AllHandlers, type Connection } from '../ipc/serve.ts';
import { isPage } from './origin.ts';

/**
 * Carries frames between our windows and the handlers. Accepts only the main frame of a window passed to
 * `join` that shows our page; a reload or the end of a window closes its connection with all of its feeds.
 */
export function openPipe(handlers: AllHandlers): { join(page: WebContents): void; close(): void } {
  const pages = new Map<WebContents, Connection | null>();

  const leave = (page: WebContents): void => {
    pages.get(page)?.close();
    if (pages.has(page)) pages.set(page, null);
  };
  const connect = (page: WebContents): Connection => {
    const line = connection(handlers, (frame) => {
      if (!page.isDestroyed()) page.send(toPageChannel, frame);
    });
    pages.set(page, line);
    return line;
  };
  const onFrame = (event: IpcMainEvent, frame: unknown): void => {
    const { sender, senderFrame } = event;
    const isTrusted =
      pages.has(sender) &&
      senderFrame !== null &&
      senderFrame === sender.mainFrame &&
      isPage(senderFrame.url);
    if (!isTrusted) {
      console.warn(
        `A message from ${senderFrame?.url ?? 'a closed frame'} was refused: it is not the workbench's page.`,
      );
      return;
    }
    (pages.get(sender) ?? connect(sender)).receive(frame);
  };
  ipcMain.on(toServicesChannel, onFrame);

  return {
    join(page) {
      pages.set(page, null);
      page.on('did-start-navigation', ({ isMainFrame, isSameDocument }) => {
        if (isMainFrame && !isSameDocument) leave(page);
      });
      page.on('render-process-gone', () => leave(page));
      page.once('destroyed', () => {
        leave(page);
        pages.delete(page);
      });
    },
    close() {
      ipcMain.off(toServicesChannel, onFrame);
      for (const page of [...pages.keys()]) leave(page);
      pages.clear();
    },
  };
}
