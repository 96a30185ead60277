import { BrowserWindow, dialog } from 'electron';
import type { Desktop } from '../services/services.ts';

const properties = { file: ['openFile'], folder: ['openDirectory', 'createDirectory'] } as const;

/** The desktop's own file dialog over the front window; null if cancelled. */
export const chooser: Desktop['choosePath'] = async ({ kind, title }) => {
  const window = BrowserWindow.getFocusedWindow() ?? BrowserWindow.getAllWindows()[0];
  if (!window) return null;
  if (kind === 'save') {
    const { canceled, filePath } = await dialog.showSaveDialog(window, { title });
    return canceled || !filePath ? null : filePath;
  }
  const { canceled, filePaths } = await dialog.showOpenDialog(window, {
    title,
    properties: [...properties[kind]],
  });
  return canceled ? null : (filePaths[0] ?? null);
};
