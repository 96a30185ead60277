/** The runs of an experiment, checked before any of them starts. */
import { WhetstoneError } from '../common/errors.ts';
import { variantsOf } from '../common/sweep.ts';
import { MOST_RUNS, type ExperimentSpec } from '../schema/experiment.ts';
import type { RunSpec } from '../schema/run-spec.ts';
import { grid, halvingRungs, random, type Combination, type Rung } from './strategies.ts';

/** Fills in defaults and checks a specification; throws `invalid-input` with the field. */
export type Check = (spec: unknown) => RunSpec;

export interface PlannedRun {
  readonly configuration: number;
  readonly seed: number;
  readonly spec: RunSpec;
}

/** Configurations, seeds and rungs; every configuration runs with every seed. A grid has one rung. */
export interface Plan {
  readonly combinations: readonly Combination[];
  readonly seeds: readonly number[];
  readonly rungs: readonly Rung[];
  /** Number of runs over all rungs, and of the steps that they take: a later rung continues the earlier one. */
  readonly runs: number;
  readonly steps: number;
}

const refuse = (where: string, message: string, hint?: string): never => {
  throw new WhetstoneError('invalid-input', message, { where, hint });
};

/** Settings that an axis cannot vary, and what to do instead. */
const reserved: { readonly [path: string]: string } = {
  seed: 'Say how many seeds the experiment has.',
  name: 'Runs are named after their values.',
  version: 'It is the version of the specification’s format.',
};

const valueAt = (spec: unknown, path: string): unknown =>
  path.split('.').reduce((at, key) => (at as { readonly [key: string]: unknown } | undefined)?.[key], spec);

const combinationsOf = ({ axes, strategy }: ExperimentSpec): readonly Combination[] =>
  strategy.kind === 'grid' ? grid(axes) : random(axes, strategy);

const seedsOf = ({ seeds }: ExperimentSpec, base: RunSpec): readonly number[] =>
  typeof seeds === 'number' ? Array.from({ length: seeds }, (_, at) => base.seed + at) : [...new Set(seeds)];

/** Throws `invalid-input` for axes that cannot be varied, or not together. */
function checkPaths({ axes, strategy }: ExperimentSpec): void {
  axes.forEach(({ path }, at) => {
    if (Object.hasOwn(reserved, path)) refuse(path, `${path} cannot be varied.`, reserved[path]);
    if (axes.findIndex((other) => other.path === path) < at) refuse(path, `${path} is varied twice.`);
    if (path === 'budget.steps' && strategy.kind === 'successive-halving')
      refuse(path, 'Successive halving sets budget.steps itself.', 'Leave it out of the axes.');
  });
}

/**
 * Plans an experiment. Throws `invalid-input` with the path of a setting that is unknown or refuses a value,
 * and if there are too many runs.
 */
export function planOf(experiment: ExperimentSpec, check: Check): Plan {
  const base = check(experiment.base);
  checkPaths(experiment);
  const { strategy } = experiment;
  const combinations = combinationsOf(experiment);
  const seeds = seedsOf(experiment, base);
  const rungs: readonly Rung[] =
    strategy.kind === 'successive-halving'
      ? halvingRungs(combinations.length, base.budget.steps, strategy)
      : [{ steps: base.budget.steps, configurations: combinations.length }];
  const runs = seeds.length * rungs.reduce((sum, { configurations }) => sum + configurations, 0);
  if (runs > MOST_RUNS) refuse('axes', `That makes ${runs} runs; at most ${MOST_RUNS}.`);
  const plan = { combinations, seeds, rungs, runs, steps: 0 };
  const first = runsOf(experiment, plan, 0, check);
  const steps = first.reduce((sum, { spec }) => sum + spec.budget.steps, 0);
  const later = rungs
    .slice(1)
    .reduce((sum, rung, at) => sum + rung.configurations * seeds.length * (rung.steps - rungs[at].steps), 0);
  return { ...plan, steps: steps + later };
}

/** The runs of a rung, of all configurations or of some; names say what tells them apart. */
export function runsOf(
  experiment: ExperimentSpec,
  { combinations, seeds, rungs }: Plan,
  rung: number,
  check: Check,
  only: readonly number[] = combinations.map((_, at) => at),
): readonly PlannedRun[] {
  const isHalving = experiment.strategy.kind === 'successive-halving';
  return only.flatMap((configuration) => {
    const chosen = experiment.axes.map(({ path }, at) => ({
      path: path.split('.'),
      values: [combinations[configuration][at]],
    }));
    const [{ spec, label }] = variantsOf(experiment.base, chosen);
    const checked = checkedWith(spec, experiment, combinations[configuration], check);
    return seeds.map((seed): PlannedRun => {
      const facts = [
        label,
        ...(seeds.length > 1 ? [`seed ${seed}`] : []),
        ...(isHalving ? [`${rungs[rung].steps} steps`] : []),
      ].filter(Boolean);
      return {
        configuration,
        seed,
        spec: check({
          ...checked,
          seed,
          name: nameOf(experiment.name || checked.name || checked.method.id, facts.join(', ')),
          ...(isHalving && { budget: { ...checked.budget, steps: rungs[rung].steps } }),
        }),
      };
    });
  });
}

const NAME_CHARS = 200;

const nameOf = (name: string, facts: string): string => {
  const suffix = facts === '' ? '' : ` (${facts.slice(0, NAME_CHARS / 2)})`;
  return `${name.slice(0, NAME_CHARS - suffix.length)}${suffix}`;
};

/** Checks a configuration; an error names the setting that caused it, with its value. */
function checkedWith(spec: unknown, { axes }: ExperimentSpec, values: Combination, check: Check): RunSpec {
  let checked: RunSpec;
  try {
    checked = check(spec);
  } catch (error) {
    const { message, where = '', hint, kind } = WhetstoneError.from(error);
    const at = axes.findIndex(({ path }) => where.startsWith(path) || path.startsWith(where));
    if (at < 0 || where === '') throw error;
    const { path } = axes[at];
    throw new WhetstoneError(kind, `${path} = ${JSON.stringify(values[at])}: ${message}`, {
      where: path,
      hint: hint ?? 'Choose a setting of the specification, and values that it accepts.',
      cause: error,
    });
  }
  axes.forEach(({ path }, at) => {
    if (JSON.stringify(valueAt(checked, path)) !== JSON.stringify(values[at]))
      refuse(
        path,
        `${path}: The specification has no such setting.`,
        'Choose a setting of the specification.',
      );
  });
  return checked;
}
