import type { Handlers } from '../../preload/contract/define.ts';
import type { plans } from '../../preload/contract/plans.ts';
import { forecastOf } from '../plans/forecast.ts';
import { followRuns, plansOf } from '../plans/index.ts';
import { inheritanceOf, knownFamily } from '../plans/inheritance.ts';
import { presets } from '../plans/presets/index.ts';
import type { Services } from '../services/services.ts';

const ok = { ok: true } as const;

export function plansHandlers(services: Services): Handlers<typeof plans> {
  followRuns(services);
  return handlers(services);
}

const handlers = (services: Services): Handlers<typeof plans> => ({
  preview: ({ plan }) => plansOf(services).preview(plan),
  launch: async ({ plan }) => ({ id: await plansOf(services).launch(plan) }),
  list: () => plansOf(services).list(),
  get: ({ id }) => plansOf(services).get(id),
  async stop({ id }) {
    await plansOf(services).stop(id);
    return ok;
  },
  async goOn({ id }) {
    await plansOf(services).goOn(id);
    return ok;
  },
  async decide({ id, ...wish }) {
    await plansOf(services).decide(id, wish);
    return ok;
  },
  async remove({ id }) {
    await plansOf(services).remove(id);
    return ok;
  },
  async inheritance({ id }) {
    const family = await knownFamily(services, id);
    return family && inheritanceOf(family);
  },
  forecast: ({ id, target }) => forecastOf(services, id, target),
  async ofRun({ runId }) {
    const found = await services.store.plans.ofRun(runId);
    if (found === null) {
      await services.store.runs.get(runId);
      return null;
    }
    const { name } = await services.store.plans.get(found.id);
    return { ...found, name };
  },
  presets: () => presets.map((preset) => ({ ...preset })),
});
