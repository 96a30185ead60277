import type { Handlers } from '../../preload/contract/define.ts';
import type { rows } from '../../preload/contract/rows.ts';
import type { Services } from '../services/services.ts';

export const rowsHandlers = (services: Services): Handlers<typeof rows> => ({
  page: (input) => services.store.rows.page(input),
  facets: (input) => services.store.rows.facets(input),
  map: (input) => services.store.rows.map(input),
});
