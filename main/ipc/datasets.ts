import { mkdir, writeFile } from 'node:fs/promises';
import { basename, dirname, join } from 'node:path';
import type { datasets, ImportProgress, PreviewProgress } from '../../preload/contract/datasets.ts';
import type { Handlers } from '../../preload/contract/define.ts';
import { columnsOfFile, importDataset, previewFile } from '../import/index.ts';
import type { Services } from '../services/services.ts';
import { storeError } from '../store/database.ts';
import { sha256 } from '../store/json.ts';
import { fileMode, folderMode } from '../store/private.ts';
import { follow } from './stream.ts';

const ok = { ok: true } as const;
const newest = <T>(_older: T, newer: T): T => newer;

export const datasetsHandlers = (services: Services): Handlers<typeof datasets> => ({
  preview: (input, signal) =>
    follow<PreviewProgress>(signal, newest, (push, end) => {
      const controller = new AbortController();
      previewFile(input, controller.signal, push).then(
        () => end(),
        (error: unknown) => end(error),
      );
      return () => controller.abort();
    }),
  columns: ({ path }) => columnsOfFile(path),
  import: (input, signal) =>
    follow<ImportProgress>(signal, newest, (push, end) => {
      const controller = new AbortController();
      importDataset(services.store, input, controller.signal, push).then(
        () => end(),
        (error: unknown) => end(error),
      );
      return () => controller.abort();
    }),
  async upload({ name, bytes }) {
    // a name from a page must not contain a path
    const safe =
      basename(name)
        .replaceAll(/[^\w.-]+/g, '_')
        .replace(/^\.+/, '') || 'upload';
    const path = join(services.folder, 'artifacts', 'uploads', sha256(bytes).slice(0, 16), safe);
    try {
      await mkdir(dirname(path), { recursive: true, mode: folderMode });
      await writeFile(path, bytes, { mode: fileMode });
    } catch (error) {
      throw storeError(error, path);
    }
    return { path };
  },
  list: ({ before }) => services.store.datasets.list(before),
  get: ({ id }) => services.store.datasets.get(id),
  rows: (query) => services.store.datasets.rows(query),
  prompt: ({ id, promptId, offset }) => services.store.datasets.prompt(id, promptId, offset),
  rejected: ({ id, offset }) => services.store.datasets.rejected(id, offset),
  async rename({ id, name }) {
    await services.store.datasets.rename(id, name);
    return ok;
  },
  async remove({ id }) {
    await services.store.datasets.remove(id);
    return ok;
  },
});
