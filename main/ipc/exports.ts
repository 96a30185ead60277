import type { Handlers } from '../../preload/contract/define.ts';
import type { exports, FileProgress } from '../../preload/contract/exports.ts';
import { exportFile, exportFormats } from '../export/index.ts';
import type { Services } from '../services/services.ts';
import { follow } from './stream.ts';

const newest = <T>(_older: T, newer: T): T => newer;

export const exportsHandlers = (services: Services): Handlers<typeof exports> => ({
  formats: () => [...exportFormats],
  write: (input, signal) =>
    follow<FileProgress>(signal, newest, (push, end) => {
      const controller = new AbortController();
      exportFile(services.store, input, controller.signal, push).then(
        () => end(),
        (error: unknown) => end(error),
      );
      return () => controller.abort();
    }),
});
