import type { Handlers } from '../../preload/contract/define.ts';
import type { travel } from '../../preload/contract/travel.ts';
import type { Services } from '../services/services.ts';

export const travelHandlers = (services: Pick<Services, 'store'>): Handlers<typeof travel> => ({
  async prompts({ runIds, search, limit }) {
    for (const id of runIds) await services.store.runs.get(id);
    return await services.store.travel.prompts(runIds, search.trim(), limit);
  },
  async answers({ runIds, promptId, samples }) {
    for (const id of runIds) await services.store.runs.get(id);
    return await services.store.travel.answers(runIds, promptId, samples);
  },
});
