import type { Handlers } from '../../preload/contract/define.ts';
import type { inside } from '../../preload/contract/inside.ts';
import { judgeInput, judgePlace } from '../services/judge-place.ts';
import type { Services } from '../services/services.ts';
import { stepsOfAnswer } from '../use-cases/answer-steps.ts';

export const insideHandlers = (services: Services): Handlers<typeof inside> => ({
  steps: (asked) => stepsOfAnswer(services, asked),
  async answer({ from, unit, ...asked }) {
    const place = judgeInput(await judgePlace(services, from));
    return await services.engine.call('inside', { ...place, ...asked, ...(unit && { unit }) });
  },
});
