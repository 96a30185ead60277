import { setImmediate as pause } from 'node:timers/promises';
import {
  aggregateIntervals,
  aggregatesOf,
  groupDifference,
  holm,
  probabilityOfImprovement,
  problemsNeeded,
  studentInterval,
  winsOf,
} from '../../../engine/index.ts';
import type { Conclusion } from '../../../preload/contract/compare.ts';
import { conclusionText, verdictOf } from '../../../preload/wire/conclusions.ts';
import type { Services } from '../../services/services.ts';
import { commonProblems, drawsOf, groupsOf, meansOf, scoresOf, type Group } from './groups.ts';
import { measuredRuns, type MeasureFacts } from './measured.ts';

/** The difference that a plan for more problems is made for. */
const SEEN = 0.02;
/** Most scores drawn by all bootstraps of one comparison: a few seconds. */
const MOST_DRAWS = 1e7;

type Difference = Conclusion['differences'][number];
type Aggregate = Conclusion['aggregates'][number];

/**
 * Compares runs on the problems of their newest evaluations: differences to a baseline, aggregates over seeds,
 * and the wins of every pair. `baseline`: id of a run; by default the first one with an evaluation.
 */
export async function conclude(
  services: Pick<Services, 'store'>,
  { runIds, baseline, folded }: { runIds: readonly string[]; baseline: string | null; folded: boolean },
): Promise<Conclusion> {
  const { measured, leftOut } = await measuredRuns(services, runIds);
  const groups = groupsOf(measured, folded);
  const base = groups.find(({ runs }) => runs.some(({ id }) => id === baseline)) ?? groups.at(0);
  const measures = measuresIn(groups);
  const others = groups.filter((group) => group !== base);
  const scored = groups.filter(({ runs }) => runs.every(({ values }) => values.has('pass@1')));
  const differences: Difference[] = [];
  for (const measure of measures) {
    await pause();
    if (base) differences.push(...differencesOf(measure, base, others));
  }
  const { problems, aggregates } = await aggregated(scored, base);
  return {
    baseline: base?.key ?? null,
    groups: groups.map((group) => ({
      key: group.key,
      name: group.name,
      runIds: group.runs.map(({ id }) => id),
      seeds: group.runs.map(({ spec }) => spec?.seed ?? null),
      overSeeds: overSeeds(group),
    })),
    measures,
    differences,
    leftOut,
    problems,
    aggregates,
    wins: winsAmong(scored),
  };
}

/** Measures that at least two groups have, pass@1 first. */
function measuresIn(groups: readonly Group[]): MeasureFacts[] {
  const found = new Map<string, MeasureFacts>();
  for (const { runs } of groups)
    for (const { values } of runs) for (const { facts } of values.values()) found.set(facts.id, facts);
  const isShared = (id: string) =>
    groups.filter(({ runs }) => runs.every(({ values }) => values.has(id))).length > 1;
  return [...found.values()].filter(({ id }) => isShared(id));
}

/** Mean pass@1 of a group's runs, each over its own problems, with an interval over seeds. */
function overSeeds({ runs }: Group): Conclusion['groups'][number]['overSeeds'] {
  const rates = runs.flatMap(({ values, draws }) => {
    const own = [...(values.get('pass@1')?.byProblem ?? [])].map(([id, rate]) => ({
      rate,
      n: draws.get(id) ?? 1,
    }));
    const drawn = own.reduce((sum, { n }) => sum + n, 0);
    return drawn > 0 ? [own.reduce((sum, { rate, n }) => sum + n * rate, 0) / drawn] : [];
  });
  return rates.length === 0 ? null : { ...studentInterval(rates), n: rates.length, values: rates };
}

/** Difference of a group to the baseline over their common problems; null without one. */
function differenceOf(measure: string, base: Group, group: Group, bounds: readonly [number, number] | null) {
  const runs = [...base.runs, ...group.runs];
  const problems = commonProblems(runs, measure);
  if (problems.length === 0) return { problems: 0, found: null };
  const [from, to] = [base, group].map((each) => scoresOf(each, measure, problems));
  return { problems: problems.length, found: groupDifference(from, to, bounds, drawsOf(runs, problems)) };
}

/** Differences of one measure to the baseline; their p-values are corrected for their number. */
function differencesOf(facts: MeasureFacts, base: Group, others: readonly Group[]): Difference[] {
  const bounds = facts.unit === 'rate' ? ([-1, 1] as const) : null;
  const sizeOf = (group: Group) => commonProblems(group.runs, facts.id).length;
  const compared = others
    .filter(({ runs }) => [...base.runs, ...runs].every(({ values }) => values.has(facts.id)))
    .map((group) => ({ group, ...differenceOf(facts.id, base, group, bounds) }));
  const tested = compared.flatMap(({ found }) => (found && found.p !== null ? [found.p] : []));
  const adjusted = holm(tested)[Symbol.iterator]();
  return compared.map(({ group, problems, found }) => {
    const corrected = found && found.p !== null ? (adjusted.next().value ?? null) : null;
    const about = {
      measure: facts.id,
      key: group.key,
      name: group.name,
      baseline: base.name,
      problems,
      of: [sizeOf(group), sizeOf(base)] as [number, number],
    };
    if (!found)
      return {
        ...about,
        difference: null,
        interval: null,
        p: null,
        adjusted: null,
        needed: null,
        verdict: 'unclear' as const,
        sentence: `${group.name} and ${base.name} have no problem in common.`,
      };
    const { difference, interval, p, deviation } = found;
    const result = { difference, interval, adjusted: corrected };
    const needed =
      facts.unit === 'rate' && deviation !== null && deviation > 0 ? problemsNeeded(deviation, SEEN) : null;
    return {
      ...about,
      ...result,
      p,
      needed,
      verdict: verdictOf(result),
      sentence: conclusionText({
        ...about,
        ...result,
        title: facts.title,
        unit: facts.unit,
        family: tested.length,
        needed,
        seeds: [group.runs.length, base.runs.length],
      }),
    };
  });
}

/** Aggregates of pass@1 over the problems that all groups have in common. */
async function aggregated(
  groups: readonly Group[],
  base: Group | undefined,
): Promise<{ problems: number; aggregates: Aggregate[] }> {
  const problems = commonProblems(
    groups.flatMap(({ runs }) => runs),
    'pass@1',
  );
  if (problems.length === 0) return { problems: 0, aggregates: [] };
  const weights = drawsOf(
    groups.flatMap(({ runs }) => runs),
    problems,
  );
  const tables = new Map(groups.map((group) => [group, scoresOf(group, 'pass@1', problems)]));
  const seeds = groups.reduce((sum, { runs }) => sum + (runs.length > 1 ? runs.length : 0), 0);
  const draws = Math.max(1, 3 * seeds * problems.length);
  const replicates = Math.max(200, Math.min(2000, Math.floor(MOST_DRAWS / draws)));
  const own = base && tables.get(base);
  const aggregates: Aggregate[] = [];
  for (const [group, scores] of tables) {
    // other calls run between groups
    await pause();
    aggregates.push({
      key: group.key,
      runs: scores.length,
      replicates: scores.length > 1 ? replicates : 0,
      values: { ...aggregatesOf(scores, weights) },
      intervals: aggregateIntervals(scores, { replicates, weights }),
      improvement:
        own && group !== base ? probabilityOfImprovement(scores, own, { replicates, weights }) : null,
    });
  }
  return { problems: problems.length, aggregates };
}

/** Every ordered pair of groups: problems on which the first is better, by means over its runs. */
function winsAmong(groups: readonly Group[]): Conclusion['wins'] {
  const rates = groups.map((group) => {
    const problems = commonProblems(group.runs, 'pass@1');
    const means = meansOf(group, 'pass@1', problems);
    return { key: group.key, byProblem: new Map(problems.map((id, at) => [id, means[at]])) };
  });
  return rates.flatMap((a) =>
    rates
      .filter((b) => b !== a)
      .map((b) => {
        const differences: number[] = [];
        for (const [id, value] of a.byProblem) {
          const other = b.byProblem.get(id);
          if (other !== undefined) differences.push(value - other);
        }
        return { a: a.key, b: b.key, ...winsOf(differences) };
      }),
  );
}
