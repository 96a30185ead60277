import { isAbsolute, join, resolve } from 'node:path';
import { WhetstoneError } from '../../engine/common/errors.ts';
import type { Handlers } from '../../preload/contract/define.ts';
import type { models } from '../../preload/contract/models.ts';
import type { ExportProgress } from '../../engine/schema/export.ts';
import type { TriedPrompt } from '../../engine/schema/tried-prompt.ts';
import { placeOf } from '../services/opened-model.ts';
import type { Services } from '../services/services.ts';
import { entriesOf } from '../store/pages.ts';
import { restorePermissions } from '../store/private.ts';
import { follow } from './stream.ts';

const ok = { ok: true } as const;

export const modelsHandlers = (services: Services): Handlers<typeof models> => ({
  async add({ path, name }) {
    const known = await entriesOf((before) => services.store.models.list(before));
    const bases = known.filter(({ adapter }) => !adapter).map(({ name, folder }) => ({ name, folder }));
    const facts = await services.engine.call('inspect', { folder: resolve(path), bases });
    return services.store.models.add({ ...facts, name: name || facts.name });
  },
  list: ({ before }) => services.store.models.list(before),
  get: ({ id }) => services.store.models.get(id),
  async describeCheckpoint({ checkpointId }) {
    // an adapter's checkpoint has only the added parameters; report its own size and hash with its base
    // model's shape
    const { path, head, parameters, bytes, hash } = await services.store.checkpoints.get(checkpointId);
    const folder = join(services.folder, path);
    const { architecture, dtypes, context, vocabulary, layers, width, chat, adapter } =
      await services.engine.call('inspect', { folder });
    return {
      folder,
      architecture,
      head,
      parameters,
      dtypes,
      bytes,
      context,
      vocabulary,
      layers,
      width,
      hash,
      chat,
      adapter,
    };
  },
  try: ({ from, put, ...request }, signal) =>
    follow<TriedPrompt>(
      signal,
      (_older, newer) => newer,
      (push, end) => {
        const closed = new AbortController();
        const answer = async (): Promise<void> => {
          push(
            await services.engine.call(
              'tryPrompt',
              { ...(await placeOf(services, from)), ...request, ...(put && { putPrompts: put }) },
              closed.signal,
            ),
          );
        };
        answer().then(() => end(), end);
        return () => closed.abort();
      },
    ),
  export: ({ from, to, merge, dtype }, signal) =>
    follow<ExportProgress>(
      signal,
      (_older, newer) => newer,
      (push, end) => {
        const closed = new AbortController();
        const write = async (): Promise<void> => {
          if (!isAbsolute(to))
            throw new WhetstoneError('invalid-input', 'This folder has no absolute path.', {
              where: to,
              hint: 'Start the path at the root of the drive.',
            });
          const request = {
            ...(await placeOf(services, from)),
            to: resolve(to),
            merge,
            ...(dtype && { dtype }),
          };
          const { path, bytes, parameters } = await services.engine.call(
            'export',
            request,
            closed.signal,
            (progress) => push({ ...progress, result: null }),
          );
          await restorePermissions(path);
          push({ written: bytes, total: bytes, result: { path, bytes, parameters } });
        };
        write().then(() => end(), end);
        return () => closed.abort();
      },
    ),
  async rename({ id, name }) {
    await services.store.models.rename(id, name);
    return ok;
  },
  async remove({ id }) {
    await services.store.models.remove(id);
    return ok;
  },
});
