import type { Handlers } from '../../preload/contract/define.ts';
import type { CurveExportProgress, LogImportProgress, logs } from '../../preload/contract/logs.ts';
import { exportCurves, importLogs, listLogs } from '../logs/index.ts';
import type { Services } from '../services/services.ts';
import { worked } from './stream.ts';

export const logsHandlers = (services: Services): Handlers<typeof logs> => ({
  find: ({ path }) => listLogs(path),
  import: (input, signal) =>
    worked<LogImportProgress>(signal, async (stop, push) => {
      const { runs } = await importLogs(services.store, input, stop, push);
      for (const run of runs) services.queue.publish(run);
    }),
  config: ({ id }) => services.store.importedRuns.config(id),
  export: (input, signal) =>
    worked<CurveExportProgress>(signal, (stop, push) => exportCurves(services.store, input, stop, push)),
});
