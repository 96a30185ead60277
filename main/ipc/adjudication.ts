import type { adjudication } from '../../preload/contract/adjudication.ts';
import type { Handlers } from '../../preload/contract/define.ts';
import type { Services } from '../services/services.ts';
import { noticed } from './noticed.ts';

export const adjudicationHandlers = (services: Services): Handlers<typeof adjudication> => ({
  queue: ({ setId, after, count }) => services.store.adjudication.queue(setId, after, count),
  pair: ({ pairId }) => services.store.adjudication.pair(pairId),
  decide: (decision) => noticed(services, services.store.adjudication.decide(decision)),
  undo: ({ setId, labeler }) => noticed(services, services.store.adjudication.undo(setId, labeler)),
  redo: ({ setId, labeler }) => noticed(services, services.store.adjudication.redo(setId, labeler)),
  recent: ({ setId, count, labeler }) => services.store.adjudication.recent(setId, count, labeler ?? null),
  progress: ({ setId }) => services.store.adjudication.progress(setId),
});
