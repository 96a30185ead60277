import type { Handlers } from '../../preload/contract/define.ts';
import type { probes } from '../../preload/contract/probes.ts';
import type { Services } from '../services/services.ts';
import { probeJudge, storedProbes } from '../use-cases/probes.ts';
import { worked } from './stream.ts';

export const probesHandlers = (services: Services): Handlers<typeof probes> => ({
  stored: ({ runId }) => storedProbes(services, runId),
  run: (asked, signal) =>
    worked(signal, async (stop, push) => {
      const report = await probeJudge(services, asked, stop, push);
      push({ done: 1, total: 1, report });
    }),
});
