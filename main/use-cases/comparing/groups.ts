import type { Run } from '../../../preload/contract/runs.ts';
import { canonicalJson } from '../../store/json.ts';
import type { ByProblem, MeasuredRun } from './measured.ts';

/** Runs that differ in nothing but their seed and name; unfolded, one run. */
export interface Group {
  /** Id of its first run. */
  readonly key: string;
  readonly name: string;
  readonly runs: readonly MeasuredRun[];
}

/** Equal for runs that differ in nothing but their seed and name; a run without a readable spec is its own. */
export function seedKey({ id, spec, data }: Pick<Run, 'id' | 'spec' | 'data'>): string {
  if (!spec) return id;
  return canonicalJson({ ...spec, name: '', seed: 0, rows: data?.hash ?? null });
}

/** Common beginning of the names of a group's runs, without a seed; its method where that is empty. */
export function groupName(runs: readonly Pick<MeasuredRun, 'name' | 'method'>[]): string {
  const [first, ...others] = runs;
  if (others.length === 0) return first.name;
  let length = first.name.length;
  for (const { name } of others) while (!name.startsWith(first.name.slice(0, length))) length -= 1;
  const stem = first.name
    .slice(0, length)
    .replace(/\d*$/, '')
    .replace(/[\s\-_.,#=(]*(seed|\bs)?[\s\-_.,#=(]*$/i, '');
  return stem || first.method;
}

/** The groups of runs, in the order of their first runs. */
export const groupsOf = (runs: readonly MeasuredRun[], folded: boolean): Group[] =>
  [...Map.groupBy(runs, (run) => (folded ? seedKey(run) : run.id)).values()].map((own) => ({
    key: own[0].id,
    name: groupName(own),
    runs: own,
  }));

const nothing: ByProblem = new Map();

/** Problems for which every run has the measure, in a fixed order. */
export function commonProblems(runs: readonly MeasuredRun[], measure: string): string[] {
  if (runs.length === 0) return [];
  const [first, ...others] = runs.map(({ values }) => values.get(measure)?.byProblem ?? nothing);
  return [...first.keys()].filter((id) => others.every((byProblem) => byProblem.has(id))).sort();
}

/** Number of draws of each problem, on average over the runs. */
export const drawsOf = (runs: readonly MeasuredRun[], problems: readonly string[]): number[] =>
  problems.map((id) => runs.reduce((sum, { draws }) => sum + (draws.get(id) ?? 1), 0) / runs.length);

/** A group's values by run and problem. */
export const scoresOf = ({ runs }: Group, measure: string, problems: readonly string[]): number[][] =>
  runs.map(({ values }) => {
    const byProblem = values.get(measure)?.byProblem;
    return problems.map((id) => byProblem?.get(id) ?? Number.NaN);
  });

/** A group's mean over its runs, by problem. */
export function meansOf(group: Group, measure: string, problems: readonly string[]): number[] {
  const scores = scoresOf(group, measure, problems);
  return problems.map((_, at) => scores.reduce((sum, row) => sum + row[at], 0) / scores.length);
}
