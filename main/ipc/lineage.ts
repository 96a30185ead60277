import type { Handlers } from '../../preload/contract/define.ts';
import type { lineage } from '../../preload/contract/lineage.ts';
import type { Services } from '../services/services.ts';

export const lineageHandlers = (services: Pick<Services, 'store'>): Handlers<typeof lineage> => ({
  graph: ({ kind, id, ...extent }) => services.store.lineageGraph.graph(kind, id, extent),
  of: ({ kind, id }) => services.store.lineage.of(kind, id),
});
