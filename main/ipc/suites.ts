import type { Handlers } from '../../preload/contract/define.ts';
import type { suites } from '../../preload/contract/suites.ts';
import type { Services } from '../services/services.ts';
import { compareSuites, suiteItem, suiteList, suiteReport } from '../use-cases/suites/reports.ts';
import { runSuite } from '../use-cases/suites/run.ts';
import { worked } from './stream.ts';

export const suitesHandlers = (services: Services): Handlers<typeof suites> => ({
  run: (asked, signal) =>
    worked<{ done: number; total: number; id: string | null }>(signal, async (stop, push) => {
      const id = await runSuite(services, asked, {
        signal: stop,
        push: (progress) => push({ ...progress, id: null }),
      });
      push({ done: 1, total: 1, id });
    }),
  list: () => suiteList(services),
  get: ({ id }) => suiteReport(services, id),
  async item(asked) {
    const { id, prompt, completion } = await suiteItem(services, asked);
    return { id, prompt, completion };
  },
  compare: (query) => compareSuites(services, query),
  async remove({ id }) {
    await suiteReport(services, id);
    await services.store.judgeReports.remove(id);
    return { ok: true };
  },
});
