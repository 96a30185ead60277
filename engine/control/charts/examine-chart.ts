/** Examines a chart for an editor: its faults, and trajectories replayed through it. */
import { WhetstoneError } from '../../common/errors.ts';
import type { ChartExamination, ChartReplay } from '../../schema/chart.ts';
import type { ControlWorld } from '../control-world.ts';
import { compileChart, type CompiledChart } from './chart.ts';
import { checkChart } from './check-chart.ts';
import { follow, inWords, replay, unfollowed } from './monitor.ts';

type Steps = readonly (readonly number[])[];

const replayed = (compiled: CompiledChart, title: string, steps: Steps): ChartReplay => {
  const summary = replay(compiled, steps);
  let [now, best] = [unfollowed, 0];
  const reached = steps.map((seen) => {
    now = follow(compiled, now, seen);
    return (best = Math.max(best, now.reached));
  });
  const inside = steps.map((seen) => compiled.states.flatMap((holds, s) => (holds(seen, 0) ? [s] : [])));
  return { title, words: inWords(compiled, summary), complete: summary.complete, inside, reached };
};

/**
 * Checks a chart, and replays the fewest actions that complete it and the given episodes, [episode][step][O].
 * Throws `invalid-input` with the path of a field that is no chart's, or for episodes of another world.
 */
export const examineChart = (
  world: ControlWorld,
  chart: unknown,
  trajectories: readonly Steps[] = [],
): ChartExamination => {
  const compiled = compileChart(chart, world.observations);
  if (trajectories.some((steps) => steps.some(({ length }) => length !== world.observations.length)))
    throw new WhetstoneError('invalid-input', `The episodes are not of ${world.id}.`, {
      where: 'trajectories',
    });
  const { faults, example, searched, isComplete } = checkChart(world, compiled, {
    wander: 200,
    untilClear: true,
  });
  return {
    chart: compiled.chart,
    faults: faults.map((fault) => ({ ...fault })),
    actions: example ? [...example.actions] : null,
    searched,
    isComplete,
    replays: [
      ...(example ? [replayed(compiled, 'the actions that were found', example.observations)] : []),
      ...trajectories.map((steps, at) => replayed(compiled, `episode ${at + 1}`, steps)),
    ],
  };
};
