import type { Handlers } from '../../preload/contract/define.ts';
import type { explore } from '../../preload/contract/explore.ts';
import type { Services } from '../services/services.ts';
import { runTable } from '../use-cases/run-table.ts';
import { compareHandlers } from './compare.ts';

export const exploreHandlers = (services: Services): Handlers<typeof explore> => ({
  async table({ runIds, metrics }) {
    const { rows, differences } = await compareHandlers(services).overview({ runIds });
    const series =
      metrics.length > 0
        ? await services.store.metrics.series({ runIds, names: metrics, from: 0, to: null, points: 16 })
        : [];
    const last = metrics.map((name) => ({
      name,
      values: runIds.map(
        (id) => series.find((each) => each.runId === id && each.name === name)?.values.at(-1) ?? null,
      ),
    }));
    return runTable(rows, differences, last);
  },
});
