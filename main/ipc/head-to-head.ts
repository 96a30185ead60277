import type { Handlers } from '../../preload/contract/define.ts';
import type { headToHead } from '../../preload/contract/head-to-head.ts';
import type { Services } from '../services/services.ts';
import { createHeadToHead, headToHeadSets, headToHeadTable } from '../use-cases/head-to-head.ts';

export const headToHeadHandlers = (services: Pick<Services, 'store'>): Handlers<typeof headToHead> => ({
  create: (choice) => createHeadToHead(services, choice),
  list: ({ runIds }) => headToHeadSets(services, runIds),
  table: ({ setId }) => headToHeadTable(services, setId),
});
