import { holm, parameterImportance } from '../../engine/index.ts';
import type { Interval, PolicyEvaluation } from '../../engine/schema/evaluation.ts';
import type { ExploreImportance, ExploreParameter, ExploreResult } from '../../preload/contract/explore.ts';
import { realDifferences, valueText, type Difference } from '../../preload/wire/differences.ts';
import { policyColumns, type Measure } from '../../preload/wire/measures.ts';

interface EvaluatedRun {
  readonly runId: string;
  readonly name: string;
  readonly evaluation: PolicyEvaluation | null;
}
/** Last values of one metric, one per run. */
export interface LastValues {
  readonly name: string;
  readonly values: readonly (number | null)[];
}
interface RunTable {
  readonly runs: { readonly id: string; readonly name: string }[];
  readonly parameters: ExploreParameter[];
  readonly results: ExploreResult[];
  readonly importance: ExploreImportance[];
}

/** A number if all runs that have the field have a number there, else its text. */
function valuesOf(difference: Difference): (number | string | null)[] {
  const { values } = difference;
  const given = values.filter((value) => value !== null && value !== undefined);
  const isNumber = given.every((value) => typeof value === 'number');
  return values.map((value, run) =>
    value === null || value === undefined ? null : isNumber ? (value as number) : valueText(difference, run),
  );
}

/** The groups into which a field divides the runs, whatever its values are. */
function partition(values: readonly (number | string | null)[]): string {
  const first = new Map<unknown, number>();
  return values
    .map((value, run) => {
      if (!first.has(value)) first.set(value, run);
      return first.get(value);
    })
    .join();
}

function parametersOf(differences: readonly Difference[]): ExploreParameter[] {
  const found = realDifferences(differences).map((each) => ({ path: each.path, values: valuesOf(each) }));
  const groups = Map.groupBy(found, ({ values }) => partition(values));
  return found.map(({ path, values }) => ({
    path,
    values,
    together: (groups.get(partition(values)) ?? []).map((each) => each.path).filter((each) => each !== path),
  }));
}

const finite = (value: number | null): number | null =>
  value !== null && Number.isFinite(value) ? value : null;

function evaluated(runs: readonly EvaluatedRun[]): ExploreResult[] {
  const evaluations = runs.flatMap(({ evaluation }) => evaluation ?? []);
  return policyColumns('page', evaluations).flatMap(({ title, cell }) => {
    const cells = runs.map(({ evaluation }) => (evaluation ? cell(evaluation) : null));
    const measures = cells.map((measure) => (typeof measure === 'string' ? null : measure));
    if (measures.every((measure) => measure === null)) return [];
    return [
      {
        id: `evaluation:${title}`,
        title,
        values: measures.map((measure) => finite(measure?.value ?? null)),
        intervals: measures.map(intervalOf),
      },
    ];
  });
}

const intervalOf = (measure: Exclude<Measure, string> | null): Interval | null => measure?.interval ?? null;

/** Importance of a parameter for a result, over the runs that have both. */
function importanceOf({ path, values }: ExploreParameter, result: ExploreResult): ExploreImportance[] {
  const runs = values.flatMap((value, run) => {
    const measured = result.values[run];
    return value === null || measured === null ? [] : [{ value, measured }];
  });
  if (runs.length === 0) return [];
  const found = parameterImportance(
    runs.map(({ value }) => value),
    runs.map(({ measured }) => measured),
  );
  return found ? [{ path, result: result.id, ...found }] : [];
}

/** Parameters and results of runs as columns, with the importance of each parameter for each result. */
export function runTable(
  runs: readonly EvaluatedRun[],
  differences: readonly Difference[],
  metrics: readonly LastValues[],
): RunTable {
  const parameters = parametersOf(differences);
  const results = [
    ...evaluated(runs),
    ...metrics.map(({ name, values }) => ({
      id: `metric:${name}`,
      title: name,
      values: values.map(finite),
      intervals: values.map(() => null),
    })),
  ];
  return {
    runs: runs.map(({ runId, name }) => ({ id: runId, name })),
    parameters,
    results,
    importance: results.flatMap((result) => {
      const found = parameters.flatMap((parameter) => importanceOf(parameter, result));
      const corrected = holm(found.map(({ p }) => p));
      return found.map((each, at) => ({ ...each, p: corrected[at] }));
    }),
  };
}
