/** Runs of one agent in one world over several seeds, with intervals. */
import { controlWorlds } from '../control/index.ts';
import { meanInterval } from '../evaluate/intervals.ts';
import { modelOf, reachable } from './kernel/model.ts';
import { valueIteration } from './kernel/plan.ts';
import { TabularRun, type TabularResult, type TabularSpec } from './run.ts';

/** A mean over seeds with its 95 % interval. */
export interface Averaged {
  readonly mean: number;
  readonly interval: readonly [low: number, high: number];
}

export interface TabularSummary {
  readonly agent: string;
  readonly world: string;
  readonly seeds: number;
  readonly return: Averaged;
  readonly discounted: Averaged;
  /** V* of the start. */
  readonly optimum: number;
  readonly covered: Averaged;
  /** Steps until the first reward above 0, over the seeds that had one; null if none had. */
  readonly firstSuccess: Averaged | null;
  readonly succeeded: number;
  readonly regret: Averaged | null;
  /** Numbers of the agent’s own, such as violations, by name. */
  readonly facts: { readonly [name: string]: Averaged };
  readonly runs: readonly TabularResult[];
}

const averaged = (values: readonly number[]): Averaged => ({
  mean: values.reduce((sum, value) => sum + value, 0) / values.length,
  interval: meanInterval(values),
});
const averagedOf = (values: readonly (number | null)[]): Averaged | null => {
  const known = values.filter((value) => value !== null);
  return known.length === 0 ? null : averaged(known);
};

/** Runs `seeds` seeds from `spec.seed` on. Throws as `TabularRun` does, before anything has run. */
export const tabularSummary = (
  spec: TabularSpec,
  seeds: number,
  report: (seed: number) => void = () => undefined,
): TabularSummary => {
  const runs = Array.from({ length: seeds }, (_, at) => {
    const seed = spec.seed + at;
    const result = new TabularRun({ ...spec, seed }).result();
    report(seed);
    return result;
  });
  return {
    ...{ agent: spec.agent, world: spec.world, seeds, optimum: runs[0].optimum },
    return: averaged(runs.map((run) => run.return)),
    discounted: averaged(runs.map((run) => run.discounted)),
    covered: averaged(runs.map((run) => run.covered)),
    firstSuccess: averagedOf(runs.map((run) => run.firstSuccess)),
    succeeded: runs.filter((run) => run.firstSuccess !== null).length,
    regret: averagedOf(runs.map((run) => run.regret)),
    facts: Object.fromEntries(
      Object.keys(runs[0].facts).map((name) => [name, averaged(runs.map(({ facts }) => facts[name]))]),
    ),
    runs,
  };
};

/** A control world in which these agents run. */
export interface TabularWorld {
  readonly id: string;
  readonly title: string;
  readonly states: number;
  /** V* of the start for γ = 0.99. */
  readonly optimum: number;
}

/** The worlds with countable states, enumerated. */
export const tabularWorlds = (): readonly TabularWorld[] =>
  controlWorlds
    .filter(({ table }) => table)
    .map((world) => {
      const model = modelOf(world);
      const { values } = valueIteration(model, 0.99);
      return {
        ...{ id: world.id, title: world.title, states: reachable(model).length },
        optimum: values[model.start],
      };
    });
