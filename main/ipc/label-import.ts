import type { Handlers } from '../../preload/contract/define.ts';
import type { ImportProgress, labelImport } from '../../preload/contract/label-import.ts';
import type { Services } from '../services/services.ts';
import { importLabels } from '../use-cases/label-import.ts';
import { noticed } from './noticed.ts';
import { follow } from './stream.ts';

const newest = <T>(_older: T, newer: T): T => newer;

export const labelImportHandlers = (services: Services): Handlers<typeof labelImport> => ({
  run: (choice, signal) =>
    follow<ImportProgress>(signal, newest, (push, end) => {
      const controller = new AbortController();
      noticed(services, importLabels(services.store, choice, controller.signal, push)).then(
        () => end(),
        (error: unknown) => end(error),
      );
      return () => controller.abort();
    }),
  list: ({ setId }) => services.store.labelImport.list(setId),
  remove: ({ setId, importId }) => noticed(services, services.store.labelImport.remove(setId, importId)),
});
