import { controlWorlds, laneBehaviours } from '../../engine/index.ts';
import { readResult } from '../../engine/schema/results.ts';
import type { behaviours } from '../../preload/contract/behaviours.ts';
import type { Handlers } from '../../preload/contract/define.ts';
import type { Services } from '../services/services.ts';

const EXAMPLES = 'control/lane-grid';

export const behavioursHandlers = (
  services: Pick<Services, 'store' | 'engine'>,
): Handlers<typeof behaviours> => {
  const controlOf = async (runId: string) => {
    const { name, method, spec } = await services.store.runs.get(runId);
    return { name: name || method, task: spec?.task.kind === 'control' ? spec.task : null };
  };
  const episodesOf = async (runId: string, world: string): Promise<number[][][]> => {
    const { task } = await controlOf(runId);
    const found = task?.id === world ? await services.store.results.newest(runId, 'episodes') : null;
    return found ? (readResult('episodes', found.value).trajectories ?? []) : [];
  };
  return {
    open: async ({ runId }) => {
      const run = runId === null ? null : await controlOf(runId);
      const world = run?.task?.id ?? EXAMPLES;
      const own = (run?.task?.charts ?? []).map(({ chart }) => chart);
      return {
        worlds: controlWorlds.map(({ id, title, observations }) => ({
          id,
          title,
          observations: [...observations],
        })),
        world,
        charts: own.length > 0 || world !== EXAMPLES ? own : [...laneBehaviours],
        run: run?.name ?? null,
      };
    },
    check: async ({ world, chart, runId }) => {
      const trajectories = runId === null ? [] : await episodesOf(runId, world);
      return await services.engine.call('examineChart', { world, chart, trajectories });
    },
  };
};
