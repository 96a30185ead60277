import type { Handlers } from '../../preload/contract/define.ts';
import type { exports, FileProgress } from '../../preload/contract/exports.ts';
import { exportFile, exportFormats, type FileExport } from '../export/index.ts';
import { settleConsensus } from '../services/label-consensus.ts';
import type { Services } from '../services/services.ts';
import { follow } from './stream.ts';

const newest = <T>(_older: T, newer: T): T => newer;

/** Settles the labels of a set before they are written. */
const settled = async ({ store }: Services, { from }: FileExport): Promise<void> => {
  if (from.kind === 'label-set') await settleConsensus(store, from.id);
};

export const exportsHandlers = (services: Services): Handlers<typeof exports> => ({
  formats: () => [...exportFormats],
  write: (input, signal) =>
    follow<FileProgress>(signal, newest, (push, end) => {
      const controller = new AbortController();
      settled(services, input)
        .then(() => exportFile(services.store, input, controller.signal, push))
        .then(
          () => end(),
          (error: unknown) => end(error),
        );
      return () => controller.abort();
    }),
});
