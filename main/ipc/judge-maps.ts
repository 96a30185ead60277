import type { Handlers } from '../../preload/contract/define.ts';
import type { judgeMaps } from '../../preload/contract/judge-maps.ts';
import type { Services } from '../services/services.ts';
import { computeJudgeMap } from '../use-cases/inspections/compute-map.ts';
import { nearAnswers, storedJudgeMap } from '../use-cases/inspections/judge-map.ts';
import { worked } from './stream.ts';

export const judgeMapsHandlers = (services: Services): Handlers<typeof judgeMaps> => ({
  stored: ({ runId }) => storedJudgeMap(services, runId),
  compute: (asked, signal) =>
    worked(signal, (stop, push) => computeJudgeMap(services, asked, stop, (share) => push({ share }))),
  near: (asked) => nearAnswers(services, asked),
});
