import { checkSpec } from '../../engine/index.ts';
import type { Handlers } from '../../preload/contract/define.ts';
import type { experiments } from '../../preload/contract/experiments.ts';
import type { Services } from '../services/services.ts';

const ok = { ok: true } as const;

export const experimentsHandlers = (services: Services): Handlers<typeof experiments> => ({
  plan: ({ spec }) => services.experiments.plan(spec),
  async launch({ spec }) {
    await services.experiments.plan(spec);
    await services.devices.require(checkSpec((spec as { base: unknown }).base).device);
    return { id: await services.experiments.launch(spec) };
  },
  list: () => services.experiments.list(),
  get: ({ id }) => services.experiments.get(id),
  async stop({ id }) {
    await services.experiments.stop(id);
    return ok;
  },
  async goOn({ id }) {
    await services.experiments.goOn(id);
    return ok;
  },
  async remove({ id, runs }) {
    await services.experiments.remove(id, runs);
    return ok;
  },
  async ofRun({ runId }) {
    const id = await services.store.experiments.ofRun(runId);
    if (id === null) {
      await services.store.runs.get(runId);
      return null;
    }
    const { name } = await services.store.experiments.get(id);
    return { id, name };
  },
});
