import { userInfo } from 'node:os';
import type { Handlers } from '../../preload/contract/define.ts';
import type { versions } from '../../preload/contract/versions.ts';
import type { Services } from '../services/services.ts';

export const versionsHandlers = (services: Services): Handlers<typeof versions> => ({
  async save({ id, name, author }) {
    const { store } = services;
    const content = await store.versions.content(id, null);
    return await store.versions.save(id, name, content, author || userInfo().username);
  },
  list: ({ id }) => services.store.versions.list(id),
  async rebuild({ id, name }) {
    const version = await services.store.versions.get(id, name);
    const { hash, rows } = await services.store.versions.content(id, version.sequence);
    return { hash, rows, isSame: hash === version.hash };
  },
  diff: ({ id, from, to, offset }) => services.store.versions.diff(id, from, to ?? null, offset),
});
