import { userInfo } from 'node:os';
import type { Handlers } from '../../preload/contract/define.ts';
import type { splits } from '../../preload/contract/splits.ts';
import type { Services } from '../services/services.ts';

export const splitsHandlers = (services: Pick<Services, 'store'>): Handlers<typeof splits> => ({
  list: ({ id }) => services.store.splits.list(id),
  async make({ id, split, author }) {
    const { store } = services;
    await store.curation.settle(id);
    const assignment = await store.splits.assign(id, split);
    return await store.splits.apply(id, split, assignment, author || userInfo().username);
  },
  leakage: ({ id, name }) => services.store.splits.leakage(id, name),
});
