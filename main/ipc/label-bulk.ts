import type { Handlers } from '../../preload/contract/define.ts';
import type { labelBulk } from '../../preload/contract/label-bulk.ts';
import type { Services } from '../services/services.ts';

export const labelBulkHandlers = (services: Services): Handlers<typeof labelBulk> => ({
  find: ({ setId, labeler, text, state }) => services.store.labelBulk.find(setId, labeler, text, state),
  items: ({ setId, labeler, positions }) => services.store.labelBulk.items(setId, labeler, positions),
  decide: (bulk) => services.store.labelBulk.decide(bulk),
  undo: ({ setId, labeler, sequences }) => services.store.labelBulk.undo(setId, labeler, sequences),
});
