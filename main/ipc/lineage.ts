import type { Handlers } from '../../preload/contract/define.ts';
import type { lineage } from '../../preload/contract/lineage.ts';
import type { Services } from '../services/services.ts';

export const lineageHandlers = (services: Pick<Services, 'store'>): Handlers<typeof lineage> => ({
  of: ({ kind, id }) => services.store.lineage.of(kind, id),
});
