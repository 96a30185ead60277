import type { Handlers } from '../../preload/contract/define.ts';
import type { runLog } from '../../preload/contract/run-log.ts';
import type { Services } from '../services/services.ts';

export const runLogHandlers = (services: Pick<Services, 'store'>): Handlers<typeof runLog> => ({
  of: ({ id }) => services.store.runLog.of(id),
});
