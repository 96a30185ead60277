import type { Handlers } from '../../preload/contract/define.ts';
import type { startStates } from '../../preload/contract/start-states.ts';
import type { Services } from '../services/services.ts';

export const startStatesHandlers = ({ store }: Pick<Services, 'store'>): Handlers<typeof startStates> => ({
  ofRun: ({ runId }) => store.sampled.starts(runId),
});
