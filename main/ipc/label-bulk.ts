import type { Handlers } from '../../preload/contract/define.ts';
import type { labelBulk } from '../../preload/contract/label-bulk.ts';
import type { Services } from '../services/services.ts';
import { noticed } from './noticed.ts';

export const labelBulkHandlers = (services: Services): Handlers<typeof labelBulk> => ({
  find: ({ setId, labeler, text, state }) => services.store.labelBulk.find(setId, labeler, text, state),
  items: ({ setId, labeler, positions }) => services.store.labelBulk.items(setId, labeler, positions),
  decide: (bulk) => noticed(services, services.store.labelBulk.decide(bulk)),
  undo: ({ setId, labeler, sequences }) =>
    noticed(services, services.store.labelBulk.undo(setId, labeler, sequences)),
});
