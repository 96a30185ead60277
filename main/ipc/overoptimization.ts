import type { Handlers } from '../../preload/contract/define.ts';
import type { overoptimization as contract } from '../../preload/contract/overoptimization.ts';
import type { Services } from '../services/services.ts';
import { overoptimization } from '../use-cases/overoptimization.ts';

export const overoptimizationHandlers = (services: Pick<Services, 'store'>): Handlers<typeof contract> => ({
  ofRun: ({ runId, proxy }) => overoptimization(services, runId, proxy),
});
