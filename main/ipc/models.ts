import { resolve } from 'node:path';
import type { Handlers } from '../../preload/contract/define.ts';
import type { models } from '../../preload/contract/models.ts';
import type { Services } from '../services.ts';

const ok = { ok: true } as const;

export const modelsHandlers = (services: Services): Handlers<typeof models> => ({
  async add({ path, name }) {
    const facts = await services.engine.call('inspect', { folder: resolve(path) });
    return services.store.models.add({ ...facts, name: name || facts.name });
  },
  list: () => services.store.models.list(),
  get: ({ id }) => services.store.models.get(id),
  async rename({ id, name }) {
    await services.store.models.rename(id, name);
    return ok;
  },
  async remove({ id }) {
    await services.store.models.remove(id);
    return ok;
  },
});
