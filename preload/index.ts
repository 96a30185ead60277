import { contextBridge, ipcRenderer, type IpcRendererEvent } from 'electron';
import { toPageChannel, toServicesChannel } from './wire/channels.ts';
import type { ToPage, WhetstoneIpc } from './wire/wire.ts';

/** A wire and nothing else: the page's client lives in the page, the checks live in main. */
const pipe: WhetstoneIpc = {
  send: (frame) => ipcRenderer.send(toServicesChannel, frame),
  listen(receive) {
    const listener = (_event: IpcRendererEvent, frame: ToPage) => receive(frame);
    ipcRenderer.on(toPageChannel, listener);
    return () => void ipcRenderer.off(toPageChannel, listener);
  },
};
contextBridge.exposeInMainWorld('whetstoneIpc', pipe);
