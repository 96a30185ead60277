import type { SqlColumn } from '../../../preload/contract/sql.ts';
import type { StoreContext } from '../context.ts';
import { openTable } from '../rows/index.ts';
import type { Sliced } from '../slices.ts';
import { columnsOf } from './columns.ts';

/** The columns that SQL over a dataset can name. */
export const sqlQueries = ({ db }: StoreContext) => ({
  *columns(id: string): Sliced<SqlColumn[]> {
    const table = yield* openTable(db, id);
    return columnsOf(table).map(({ name, written, about, kind }) => ({ name, written, about, kind }));
  },
});
