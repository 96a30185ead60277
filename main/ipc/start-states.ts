import type { Handlers } from '../../preload/contract/define.ts';
import type { startStates } from '../../preload/contract/start-states.ts';
import type { Services } from '../services/services.ts';

export const startStatesHandlers = (services: Pick<Services, 'store'>): Handlers<typeof startStates> => ({
  ofRun: ({ runId }) => services.store.sampled.starts(runId),
});
