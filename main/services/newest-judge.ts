import { methods } from '../../engine/index.ts';
import { WhetstoneError } from '../../engine/common/errors.ts';
import type { Services } from './services.ts';

/**
 * The newest checkpoint of a run that trains a judge: with a scoring head, or with verdicts in words. Throws
 * `not-found`.
 */
export async function newestJudge({ store }: Pick<Services, 'store'>, runId: string): Promise<string> {
  const run = await store.runs.get(runId);
  const isJudge = methods.find(({ id }) => id === run.method)?.produces === 'reward';
  const newest = (await store.checkpoints.list(runId)).find(({ head }) => isJudge || head === 'reward');
  if (!newest)
    throw new WhetstoneError('not-found', `'${run.name}' has no checkpoint of a judge.`, {
      where: runId,
      hint: 'Choose a reward-model run that has saved one.',
    });
  return newest.id;
}
