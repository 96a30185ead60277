import { mcNemar } from '../../../engine/index.ts';
import type { ComparedProblems, ProblemQuery } from '../../../preload/contract/compare.ts';
import type { Services } from '../../services/services.ts';
import { groupsOf, meansOf } from './groups.ts';
import { measuredRuns } from './measured.ts';

/** Differences of means below it are rounding errors. */
const EQUAL = 1e-9;

type Rates = (number | null)[];
type Kind = NonNullable<ProblemQuery['pair']>['kind'];

/** True if a problem with these rates is of the kind. */
const isOfKind = (kind: Kind, threshold: number, a: number | null, b: number | null): boolean => {
  if (a === null || b === null) return false;
  const difference = a - b;
  return {
    only: a >= threshold && b < threshold,
    better: difference > EQUAL,
    equal: Math.abs(difference) <= EQUAL,
    worse: difference < -EQUAL,
  }[kind];
};

/**
 * Problems of the runs' newest evaluations with the rate of right answers of each group of runs, and of a pair
 * of groups how many problems only one solves: with at least the share `threshold` of right answers.
 */
export async function comparedProblems(
  services: Pick<Services, 'store'>,
  { runIds, folded, pair, differing, threshold, offset, limit }: ProblemQuery,
): Promise<ComparedProblems> {
  const { measured } = await measuredRuns(services, runIds);
  const groups = groupsOf(
    measured.filter(({ values }) => values.has('pass@1')),
    folded,
  );
  const rates = new Map<string, Rates>();
  groups.forEach((group, at) => {
    const own = group.runs.map(({ values }) => values.get('pass@1')?.byProblem ?? new Map<string, number>());
    const problems = [...own[0].keys()].filter((id) => own.every((byProblem) => byProblem.has(id)));
    meansOf(group, 'pass@1', problems).forEach((value, index) => {
      const row = rates.get(problems[index]) ?? groups.map(() => null);
      row[at] = value;
      rates.set(problems[index], row);
    });
  });
  const placeOf = (id: string) => groups.findIndex(({ runs }) => runs.some((run) => run.id === id));
  const [a, b] = pair ? [placeOf(pair.a), placeOf(pair.b)] : [-1, -1];
  const isChosen = (row: Rates): boolean => {
    const known = row.filter((value) => value !== null);
    if (differing && (known.length < 2 || Math.max(...known) - Math.min(...known) <= EQUAL)) return false;
    return !pair || (a >= 0 && b >= 0 && isOfKind(pair.kind, threshold, row[a], row[b]));
  };
  /** Largest difference of the pair first, so that the clearest cases lead; then by id. */
  const gap = (row: Rates): number => (a >= 0 && b >= 0 ? -Math.abs((row[a] ?? 0) - (row[b] ?? 0)) : 0);
  const chosen = [...rates]
    .filter(([, row]) => isChosen(row))
    .sort(([x, left], [y, right]) => gap(left) - gap(right) || (x < y ? -1 : 1));
  const page = chosen.slice(offset, offset + limit);
  const texts = await textsOf(
    services,
    measured.map(({ id }) => id),
    page.map(([id]) => id),
  );
  return {
    groups: groups.map(({ key, name, runs }) => ({ key, name, runIds: runs.map(({ id }) => id) })),
    total: chosen.length,
    common: [...rates.values()].filter((row) => row.every((value) => value !== null)).length,
    problems: page.map(([promptId, row]) => ({ promptId, prompt: texts.get(promptId) ?? '', rates: row })),
    flips: a >= 0 && b >= 0 ? flipsOf([...rates.values()], a, b, threshold) : null,
  };
}

/** Texts of problems, from the first run that answered each. */
async function textsOf(
  { store }: Pick<Services, 'store'>,
  runIds: readonly string[],
  promptIds: readonly string[],
): Promise<ReadonlyMap<string, string>> {
  const texts = new Map<string, string>();
  for (const id of runIds) {
    const missing = promptIds.filter((each) => !texts.has(each));
    if (missing.length === 0) break;
    for (const { promptId, prompt } of await store.samples.problemTexts(id, missing))
      texts.set(promptId, prompt);
  }
  return texts;
}

/** Counts of problems that both, one or none of a pair solve, and McNemar's exact p-value. */
function flipsOf(
  rows: readonly Rates[],
  a: number,
  b: number,
  threshold: number,
): NonNullable<ComparedProblems['flips']> {
  const counts = { both: 0, onlyA: 0, onlyB: 0, neither: 0 };
  for (const row of rows) {
    const [left, right] = [row[a], row[b]];
    if (left === null || right === null) continue;
    const solves = [left >= threshold, right >= threshold];
    counts[solves[0] ? (solves[1] ? 'both' : 'onlyA') : solves[1] ? 'onlyB' : 'neither'] += 1;
  }
  return { ...counts, p: mcNemar(counts.onlyA, counts.onlyB) };
}
