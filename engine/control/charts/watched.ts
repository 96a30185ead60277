/** The charts of a run, compiled and checked for its world before anything is trained. */
import { WhetstoneError } from '../../common/errors.ts';
import type { WatchedChart } from '../../schema/chart.ts';
import type { ControlWorld } from '../control-world.ts';
import { compileChart, type CompiledChart } from './chart.ts';
import { checkChart, type ChartFault, type CheckedChart } from './check-chart.ts';
import type { Watched } from './watch.ts';

/** Compiles the charts of a run. Throws `invalid-input` with the path below `where`. */
export const compileWatched = (
  world: ControlWorld,
  charts: readonly WatchedChart[],
  where: string,
): Watched[] =>
  charts.map(({ chart, ...pay }, c) => ({
    compiled: compiledAt(world, chart, `${where}.${c}.chart`),
    ...pay,
  }));

const compiledAt = (world: ControlWorld, chart: unknown, where: string): CompiledChart => {
  try {
    return compileChart(chart, world.observations);
  } catch (error) {
    if (!(error instanceof WhetstoneError)) throw error;
    const { kind, message, where: inner, hint } = error;
    throw new WhetstoneError(kind, message, {
      where: inner ? `${where}.${inner}` : where,
      ...(hint !== undefined && { hint }),
    });
  }
};

/**
 * Searches are repeated whenever a specification is checked; the newest ones are kept, by world and chart.
 */
const searched = new Map<string, CheckedChart>();
const KEPT = 32;

const checkedOnce = (world: ControlWorld, compiled: CompiledChart): CheckedChart => {
  const key = JSON.stringify([world.id, compiled.chart]);
  const known = searched.get(key);
  if (known) return known;
  const found = checkChart(world, compiled, { wander: 200, untilClear: true });
  if (searched.size >= KEPT) searched.delete([...searched.keys()][0]);
  searched.set(key, found);
  return found;
};

/** Faults that are certain: a search that saw only a part knows no state that never or always holds. */
const certain = ({ faults, isComplete }: CheckedChart): ChartFault[] =>
  faults.filter(({ kind }) => isComplete || kind === 'at start' || kind === 'any order');

/** The field of a fault: the state itself, or its place in the order. */
const fieldOf = ({ kind, state }: ChartFault, { chart }: CompiledChart): string =>
  kind === 'unreachable' || kind === 'constant'
    ? `states.${chart.states.findIndex(({ name }) => name === state)}`
    : kind === 'any order'
      ? 'order'
      : `order.${chart.order.lastIndexOf(state)}`;

/**
 * Throws `invalid-input` with the path below `where` for a chart that is none in this world, for two of one
 * name, and for a chart with a fault.
 */
export const checkWatched = (world: ControlWorld, charts: readonly WatchedChart[], where: string): void => {
  compileWatched(world, charts, where).forEach(({ compiled }, c) => {
    const { name } = compiled.chart;
    if (charts.findIndex(({ chart }) => chart.name === name) !== c)
      throw new WhetstoneError('invalid-input', `There are two charts '${name}'.`, {
        where: `${where}.${c}.chart.name`,
        hint: 'Give each its own name: its measures are named by it.',
      });
    const [fault] = certain(checkedOnce(world, compiled));
    if (fault)
      throw new WhetstoneError('invalid-input', `The chart '${name}' has a fault: ${fault.message}`, {
        where: `${where}.${c}.chart.${fieldOf(fault, compiled)}`,
        hint: 'The command `chart` and the behaviour editor show what a chart can reach.',
      });
  });
};
