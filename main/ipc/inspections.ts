import type { Handlers } from '../../preload/contract/define.ts';
import type { inspections } from '../../preload/contract/inspections.ts';
import type { Services } from '../services/services.ts';
import { againstOther } from '../use-cases/inspections/against.ts';
import { inspectAgain } from '../use-cases/inspections/again.ts';
import { ensembleReport } from '../use-cases/inspections/ensemble.ts';
import { lengthsOf, sliceColumns, slicesOf, temperatureOf } from '../use-cases/inspections/measures.ts';
import { pairsPage } from '../use-cases/inspections/pairs.ts';
import { pairsToDataset, pairsToLabels } from '../use-cases/inspections/save.ts';
import { inspectionOf } from '../use-cases/inspections/table.ts';
import { worked } from './stream.ts';

export const inspectionsHandlers = (services: Services): Handlers<typeof inspections> => ({
  async state({ runId }) {
    await inspectionOf(services, runId);
    return { pairs: (await services.store.inspections.of(runId))?.pairs ?? null };
  },
  pairs: (query) => pairsPage(services, query),
  columns: ({ runId }) => sliceColumns(services, runId),
  slices: (query) => slicesOf(services, query),
  temperature: ({ runId }) => temperatureOf(services, runId),
  lengths: (query) => lengthsOf(services, query),
  against: (query) => againstOther(services, query),
  ensemble: (query) => ensembleReport(services, query),
  toDataset: (query) => pairsToDataset(services, query),
  toLabels: (query) => pairsToLabels(services, query),
  again: ({ runId }, signal) => worked(signal, (stop, push) => inspectAgain(services, runId, stop, push)),
});
