import { WhetstoneError } from '../../engine/common/errors.ts';
import type { Handlers } from '../../preload/contract/define.ts';
import type { RescoreProgress, rewards } from '../../preload/contract/rewards.ts';
import { readResult } from '../../engine/schema/results.ts';
import { judgeInput, judgePlace } from '../services/judge-place.ts';
import { rescore } from '../use-cases/rescore.ts';
import { trySnippet } from '../use-cases/try-snippet.ts';
import type { Services } from '../services/services.ts';
import { follow } from './stream.ts';

export const rewardsHandlers = (services: Services): Handlers<typeof rewards> => ({
  async inspect({ runId }) {
    const run = await services.store.runs.get(runId);
    const result = await services.store.results.newest(runId, 'reward-inspection');
    if (!result)
      throw new WhetstoneError('not-found', `'${run.name}' has no inspection (it is ${run.state}).`, {
        where: runId,
        hint: 'Only a reward-model run that is done has one.',
      });
    return readResult('reward-inspection', result.value);
  },

  trySnippet: ({ code, task }) => trySnippet(services, code, task),

  async score({ from, items }) {
    const place = judgeInput(await judgePlace(services, from));
    return { scores: await services.engine.call('score', { ...place, items }) };
  },

  rescore: ({ runId, rewards: given, composer, save }, signal) =>
    follow<RescoreProgress>(
      signal,
      (_older, newer) => newer,
      (push, end) => {
        const work = new AbortController();
        const report = ({ done, total }: { done: number; total: number }): void =>
          push({ done, total, result: null });
        rescore(services, runId, { rewards: given, composer }, { save, signal: work.signal, report }).then(
          (result) => {
            push({ done: 1, total: 1, result });
            end();
          },
          end,
        );
        return () => work.abort();
      },
    ),
});
