import {
  examine,
  lengthHistogram,
  verdictBaselines,
  type Diagnosis,
  type SplitSide,
} from '../../../engine/row-reading.ts';
import type { Finding, Findings } from '../../../preload/contract/doctor.ts';
import type { FindingId } from '../../../preload/wire/findings.ts';
import type { FoundRows } from '../../store/findings.ts';
import { likelyWrong } from './judge-marks.ts';
import { pairsOf, type DoctorRow, type RowPair } from './patient.ts';

export interface DiagnoseOptions {
  readonly others: readonly SplitSide[];
  readonly tokenizer: string | null;
  /** Tokens of each row; null if it cannot be encoded. Without it, characters of the answer are counted. */
  readonly lengths: readonly (number | null)[] | null;
  readonly wrongMarks: boolean;
  readonly score: string | null;
}
export interface Diagnosed {
  readonly summary: Omit<Findings, 'seconds'>;
  readonly sets: readonly FoundRows[];
}
export type Step = 'duplicates' | 'leakage' | 'texts' | 'pairs' | 'judge';

/** Rows without a split, if others have one. */
export const noSplit = 'no split';
const numbers = (ids: readonly string[]): number[] => ids.map(Number);
const uint32 = (rows: Iterable<number>): Uint32Array => Uint32Array.from(rows).sort();

/** A finding in the making: its groups, each in the order in which the first is kept. */
interface Found {
  readonly id: FindingId;
  readonly groups: readonly (readonly number[])[];
  /** True if its groups are counted, not its rows alone. */
  readonly isGrouped: boolean;
  /** Rows of each group to keep, where it is not the first alone. */
  readonly keep?: readonly number[];
  readonly parts?: Finding['parts'];
}

/**
 * Examines rows. Yields the share of the work done and its step; to cancel, stop iterating. The judge of
 * marks runs afterwards, by `withWrongMarks`.
 */
export function* diagnose(
  rows: readonly DoctorRow[],
  options: DiagnoseOptions,
): Generator<{ readonly step: Step; readonly share: number }, Diagnosed> {
  const pairs = pairsOf(rows);
  const hasSplits = rows.some(({ split }) => split !== null);
  // rows are a side of their own where they are compared with other data only
  const splitOf = ({ split }: DoctorRow): string | null =>
    split ?? (hasSplits ? noSplit : options.others.length > 0 ? 'these rows' : null);
  const diagnosis = yield* examine({
    rows: rows.map((row) => ({ ...row, id: String(row.row), split: splitOf(row) })),
    pairs,
    others: options.others,
  });
  const { baselines, losing } = baselinesOf(pairs, diagnosis);
  const all = [
    ...rowFindings(diagnosis),
    ...pairFindings(pairs, diagnosis),
    leaksOf(rows, splitOf, diagnosis),
    ...losing,
  ];
  const { lengths, unmeasured, sets } = lengthsOf(rows, diagnosis, options.lengths);
  const languages = diagnosis.languages.map(({ language, rows: own }) => ({
    language,
    finding: `language-${language}`,
    own: uint32(numbers(own)),
  }));
  return {
    summary: {
      rows: rows.length,
      pairs: pairs.length,
      tokenizer: options.tokenizer,
      unmeasured,
      against: options.others.map(({ name }) => name),
      findings: all.map(factsOf),
      baselines,
      languages: languages.map(({ own, ...language }) => ({ ...language, rows: own.length })),
      lengths,
      judge: null,
    },
    sets: [
      ...all.filter(({ groups }) => groups.length > 0).map(setOf),
      ...languages.map(({ finding, own }) => ({ name: finding, rows: own })),
      ...sets,
    ],
  };
}

/** Accuracy of rules that read no text, and the rows of the pairs on which each is wrong. */
function baselinesOf(
  pairs: readonly RowPair[],
  { baselines: { longestWins } }: Diagnosis,
): { baselines: Findings['baselines']; losing: Found[] } {
  // answers of one record have no order in which they were listed
  const { firstWins } = verdictBaselines(pairs.filter(({ isRecord }) => !isRecord));
  const byPair = new Map(pairs.map((pair) => [pair.id, pair.rows]));
  const baseline = ({ rate, interval, n }: typeof longestWins, finding: FindingId) => ({
    rate,
    interval,
    pairs: n,
    finding,
  });
  const losing = (id: FindingId, { against }: typeof longestWins): Found => ({
    id,
    groups: against.map((pair) => byPair.get(pair) ?? []),
    isGrouped: true,
  });
  return {
    baselines: {
      longestWins: baseline(longestWins, 'longest-loses'),
      firstWins: baseline(firstWins, 'first-loses'),
    },
    losing: [losing('longest-loses', longestWins), losing('first-loses', firstWins)],
  };
}

/** The diagnosis with likely wrong marks added. */
export async function withWrongMarks(
  { summary, sets }: Diagnosed,
  rows: readonly DoctorRow[],
  { wrongMarks, score }: DiagnoseOptions,
): Promise<Diagnosed> {
  const judged = wrongMarks ? await likelyWrong(rows, score) : null;
  if (!judged) return { summary, sets };
  const found: Found = { id: 'likely-wrong', groups: judged.wrong.map((row) => [row]), isGrouped: false };
  return {
    summary: { ...summary, judge: judged.judge, findings: [...summary.findings, factsOf(found)] },
    sets: judged.wrong.length > 0 ? [...sets, setOf(found)] : sets,
  };
}

const rowsIn = ({ groups }: Found): Uint32Array => uint32(new Set(groups.flat()));

const factsOf = (found: Found): Finding => ({
  id: found.id,
  rows: rowsIn(found).length,
  groups: found.isGrouped ? found.groups.length : null,
  parts: found.parts ?? [],
});

const setOf = (found: Found): FoundRows => ({
  name: found.id,
  rows: rowsIn(found),
  ...(found.isGrouped && {
    groups: Uint32Array.from(
      found.groups.flatMap((group, at) => [group.length, found.keep?.[at] ?? 1, ...group]),
    ),
  }),
});

function rowFindings({
  exactDuplicates,
  nearDuplicates,
  contradictoryMarks,
  personalData,
}: Diagnosis): Found[] {
  const kinds = Map.groupBy(
    personalData.flatMap(({ id, matches }) =>
      [...new Set(matches.map(({ kind }) => kind))].map((kind) => ({ id, kind })),
    ),
    ({ kind }) => kind,
  );
  return [
    { id: 'exact-duplicates', groups: exactDuplicates.map(numbers), isGrouped: true },
    { id: 'near-duplicates', groups: nearDuplicates.map((group) => numbers(group.rows)), isGrouped: true },
    { id: 'contradictory-marks', groups: contradictoryMarks.map(numbers), isGrouped: true },
    {
      id: 'personal-data',
      groups: personalData.map(({ id }) => [Number(id)]),
      isGrouped: false,
      parts: [...kinds].map(([title, own]) => ({ title, rows: own.length })),
    },
  ];
}

/** Findings of pairs as groups of rows. Of repeated ones, the first pair's rows count as one, which is kept. */
function pairFindings(pairs: readonly RowPair[], { pairs: found }: Diagnosis): Found[] {
  const byId = new Map(pairs.map((pair) => [pair.id, pair]));
  const rowsOf = (id: string): readonly number[] => byId.get(id)?.rows ?? [];
  // all pairs of right and wrong answers repeat where an answer does: those are duplicate rows, found above
  const isRecord = (id: string): boolean => byId.get(id)?.isRecord === true;
  const repeated = found.repeated.filter((group) => group.pairs.every(isRecord));
  const swapped = repeated.filter((group) => group.swapped).length;
  const repeats = new Set(repeated.flatMap((group) => group.pairs.slice(1)));
  // a row of a pair that is no repeat is kept
  const needed = new Set(pairs.filter(({ id }) => !repeats.has(id)).flatMap((pair) => pair.rows));
  const kept = repeated.map(({ pairs: [first, ...others] }) => {
    const rest = new Set(others.flatMap(rowsOf));
    const keep = new Set([...rowsOf(first), ...[...rest].filter((row) => needed.has(row))]);
    return { keep: keep.size, rows: [...keep.union(rest)] };
  });
  return [
    { id: 'identical-pairs', groups: found.identicalAnswers.map(rowsOf), isGrouped: true },
    {
      id: 'repeated-pairs',
      groups: kept.map((group) => group.rows),
      keep: kept.map((group) => group.keep),
      isGrouped: true,
      parts: swapped > 0 ? [{ title: 'groups with swapped answers', rows: swapped }] : [],
    },
    {
      id: 'contradictory-pairs',
      groups: found.contradictory.map((group) => [...new Set(group.flatMap(rowsOf))]),
      isGrouped: true,
    },
  ];
}

/** True for a side of a split that is trained on, by its name. */
const isTraining = (name: string): boolean => /train|^no split$|^these rows$/i.test(name);

/**
 * The training rows of each leaked prompt: those of the sides that are trained on by their name, else of the
 * largest side.
 */
function leaksOf(
  rows: readonly DoctorRow[],
  splitOf: (row: DoctorRow) => string | null,
  { leaks }: Diagnosis,
): Found {
  const bySide = Map.groupBy(rows, (row) => splitOf(row) ?? '');
  const names = [...bySide.keys()];
  const largest = names.toSorted((a, b) => (bySide.get(b)?.length ?? 0) - (bySide.get(a)?.length ?? 0))[0];
  const training = names.some(isTraining) ? names.filter(isTraining) : [largest];
  const prompts = new Map(rows.map((row) => [row.row, row.prompt]));
  const byPrompt = Map.groupBy(rows, ({ prompt }) => prompt);
  const parts = new Map<string, number>();
  const groups = leaks.flatMap(({ sides }) => {
    const own = sides
      .filter(({ name }) => training.includes(name))
      .flatMap(({ name, rows: ids }) =>
        ids.flatMap((id) =>
          (byPrompt.get(prompts.get(Number(id)) ?? '') ?? []).filter((row) => splitOf(row) === name),
        ),
      )
      .map(({ row }) => row);
    if (own.length === 0) return [];
    for (const { name } of sides)
      if (!training.includes(name)) parts.set(name, (parts.get(name) ?? 0) + own.length);
    return [own];
  });
  return {
    id: 'leaks',
    groups,
    isGrouped: true,
    parts: [...parts].map(([name, count]) => ({ title: `also in ${name}`, rows: count })),
  };
}

function lengthsOf(
  rows: readonly DoctorRow[],
  diagnosis: Diagnosis,
  measured: readonly (number | null)[] | null,
): { lengths: Findings['lengths']; unmeasured: number; sets: FoundRows[] } {
  const known = new Map(rows.map(({ row }, at) => [String(row), measured?.[at] ?? null]));
  const readable = [...known].flatMap(([id, length]) => (length === null ? [] : [{ id, text: id }]));
  const bins = measured ? lengthHistogram(readable, (id) => known.get(id) ?? 0) : diagnosis.lengths;
  const filled = bins.map((bin, at) => ({ ...bin, finding: `length-${at}` }));
  return {
    lengths: filled.map(({ from, to, rows: own, finding }) => ({ from, to, rows: own.length, finding })),
    unmeasured: measured ? rows.length - readable.length : 0,
    sets: filled
      .filter(({ rows: own }) => own.length > 0)
      .map(({ rows: own, finding }) => ({ name: finding, rows: uint32(numbers(own)) })),
  };
}
