import type { Handlers } from '../../preload/contract/define.ts';
import type { inside } from '../../preload/contract/inside.ts';
import { judgeInput, judgePlace } from '../services/judge-place.ts';
import type { Services } from '../services/services.ts';

export const insideHandlers = (services: Services): Handlers<typeof inside> => ({
  async answer({ from, unit, ...asked }) {
    const place = judgeInput(await judgePlace(services, from));
    return await services.engine.call('inside', { ...place, ...asked, ...(unit && { unit }) });
  },
});
