import { userInfo } from 'node:os';
import type { ColumnProgress, columns } from '../../preload/contract/columns.ts';
import type { Handlers } from '../../preload/contract/define.ts';
import type { Services } from '../services/services.ts';
import { computeColumn, previewColumn } from '../use-cases/columns/compute.ts';
import { worked } from './stream.ts';

export const columnsHandlers = (services: Services): Handlers<typeof columns> => ({
  list: ({ id }) => services.store.computed.list(id),
  preview: (input) => previewColumn(services, input),
  compute: (input, signal) =>
    worked<ColumnProgress>(signal, (stop, push) =>
      computeColumn(services, { ...input, author: input.author || userInfo().username }, stop, push),
    ),
});
