import { WhetstoneError } from '../../engine/common/errors.ts';
import type { Handlers } from '../../preload/contract/define.ts';
import type { Bulk, queue, QueueState } from '../../preload/contract/queue.ts';
import type { Services } from '../services/services.ts';
import { follow } from './stream.ts';

const ok = { ok: true } as const;

/** Does something to each run, and collects what was refused. */
async function each(ids: readonly string[], action: (id: string) => Promise<unknown>): Promise<Bulk> {
  const changed: string[] = [];
  const refused: Bulk['refused'] = [];
  for (const id of new Set(ids))
    try {
      await action(id);
      changed.push(id);
    } catch (error) {
      refused.push({ id, error: WhetstoneError.from(error).facts });
    }
  return { changed, refused };
}

export const queueHandlers = (services: Services): Handlers<typeof queue> => ({
  get: () => services.queue.state(),
  watch: (_input, signal) => queueFeed(services, signal),
  async pause() {
    await services.queue.pause();
    return ok;
  },
  async goOn() {
    await services.queue.goOn();
    return ok;
  },
  async move({ id, to }) {
    await services.queue.move(id, to);
    return ok;
  },
  async setAtOnce({ atOnce }) {
    await services.queue.setAtOnce(atOnce);
    return ok;
  },
  stop: ({ ids }) => each(ids, (id) => services.queue.stop(id)),
  resume: ({ ids }) =>
    each(ids, async (id) => {
      const { spec } = await services.store.runs.get(id);
      if (spec) await services.devices.require(spec.device);
      await services.queue.resume(id);
    }),
  archive: ({ ids, archived }) =>
    each(ids, async (id) => services.queue.publish(await services.store.runs.archive(id, archived))),
});

const queueFeed = (services: Services, signal: AbortSignal): AsyncGenerator<QueueState> =>
  follow<QueueState>(
    signal,
    (_older, newer) => newer,
    (push, end) => {
      const read = (): void => void services.queue.state().then(push, end);
      const stop = services.queue.watchState(read);
      read();
      return stop;
    },
  );
