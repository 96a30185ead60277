import type { Handlers } from '../../preload/contract/define.ts';
import type { sql, SqlAnswer } from '../../preload/contract/sql.ts';
import type { Services } from '../services/services.ts';
import { worked } from './stream.ts';

export const sqlHandlers = (services: Services): Handlers<typeof sql> => ({
  columns: ({ id }) => services.store.sql.columns(id),
  run: ({ id, ...input }, signal) =>
    worked<SqlAnswer>(signal, async (stop, push) => {
      const start = performance.now();
      const result = await services.sql.run({ dataset: id, ...input }, stop);
      push({ seconds: (performance.now() - start) / 1000, result });
    }),
});
