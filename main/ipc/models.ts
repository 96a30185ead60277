import { join, resolve } from 'node:path';
import type { Handlers } from '../../preload/contract/define.ts';
import type { models, TriedPrompt } from '../../preload/contract/models.ts';
import type { Services } from '../services.ts';
import { follow } from './stream.ts';

const ok = { ok: true } as const;

export const modelsHandlers = (services: Services): Handlers<typeof models> => ({
  async add({ path, name }) {
    const facts = await services.engine.call('inspect', { folder: resolve(path) });
    return services.store.models.add({ ...facts, name: name || facts.name });
  },
  list: () => services.store.models.list(),
  get: ({ id }) => services.store.models.get(id),
  async describeCheckpoint({ checkpointId }) {
    // an adapter's checkpoint holds only what was added: its own size and hash stand beside its model's shape
    const { path, head, parameters, bytes, hash } = await services.store.checkpoints.get(checkpointId), folder = join(services.folder, path);
    const { architecture, dtypes, context, vocabulary, layers, width, chat } = await services.engine.call('inspectBase', { folder });
    return { folder, architecture, head, parameters, dtypes, bytes, context, vocabulary, layers, width, hash, chat };
  },
  try: ({ from, put, ...asked }, signal) => follow<TriedPrompt>(signal, (_older, newer) => newer, (push, end) => {
    const letGo = new AbortController();
    const answer = async (): Promise<void> => {
      const model = from.kind === 'model' ? await services.store.models.get(from.id) : await services.store.checkpoints.get(from.id);
      const folder = 'folder' in model ? model.folder : join(services.folder, model.path);
      push(await services.engine.call('tryPrompt', { folder, hash: model.hash, ...asked, ...(put && { putPrompts: put }) }, letGo.signal));
    };
    answer().then(() => end(), end);
    return () => letGo.abort();
  }),
  async rename({ id, name }) {
    await services.store.models.rename(id, name);
    return ok;
  },
  async remove({ id }) {
    await services.store.models.remove(id);
    return ok;
  },
});
