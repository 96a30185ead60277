import { verdictBaselines, type Baseline } from './baselines.ts';
import { languageOf, type Language } from './language.ts';
import { leakage, type Leak, type SplitSide } from './leakage.ts';
import { lengthHistogram, type RowBin } from './lengths.ts';
import {
  nearDuplicates,
  similarTexts,
  type DoctorProgress,
  type NearDuplicateOptions,
} from './near-duplicates.ts';
import { personalData, type PersonalRow } from './personal-data.ts';
import {
  contradictoryMarks,
  exactDuplicates,
  pairFindings,
  type AnswerFacts,
  type Group,
  type PairFacts,
  type PairFindings,
} from './rows.ts';

/** The data to examine; each list may be empty. */
export interface Patient {
  readonly rows: readonly (AnswerFacts & { readonly split?: string | null })[];
  readonly pairs: readonly PairFacts[];
  /** Problems of evaluation worlds, or other data that must not be trained on. */
  readonly others?: readonly SplitSide[];
  /** Length of a text, in tokens of the chosen tokenizer; by default UTF-16 units. */
  readonly lengthOf?: (text: string) => number;
  readonly nearDuplicates?: NearDuplicateOptions;
}

export interface NearGroup {
  readonly rows: Group;
  /** Least similarity of the comparisons that joined the group. */
  readonly similarity: number;
}

/** Findings by kind, each with the ids of its rows or pairs. */
export interface Diagnosis {
  readonly exactDuplicates: readonly Group[];
  /** Groups of answers that are nearly equal, those of equal ones left out. */
  readonly nearDuplicates: readonly NearGroup[];
  readonly contradictoryMarks: readonly Group[];
  readonly pairs: PairFindings;
  readonly leaks: readonly Leak[];
  readonly baselines: { readonly firstWins: Baseline; readonly longestWins: Baseline };
  readonly personalData: readonly PersonalRow[];
  readonly languages: readonly { readonly language: Language; readonly rows: readonly string[] }[];
  readonly lengths: readonly RowBin[];
}

export interface ExamineProgress extends DoctorProgress {
  readonly step: 'duplicates' | 'leakage' | 'texts' | 'pairs';
}

/** Texts between two reports of progress. */
const BLOCK = 200;
/** Share of the work at the end of each step. */
const ENDS = { duplicates: 0.45, leakage: 0.7, texts: 0.95 };

function* scaled<T>(
  work: Generator<DoctorProgress, T>,
  step: ExamineProgress['step'],
  from: number,
  to: number,
): Generator<ExamineProgress, T> {
  for (;;) {
    const found = work.next();
    if (found.done) return found.value;
    yield { step, share: from + (to - from) * found.value.share };
  }
}

/** Each distinct prompt of a split once, under the id of its first row. */
const splitsOf = (rows: Patient['rows']): SplitSide[] =>
  [...Map.groupBy(rows, ({ split }) => split ?? '')]
    .filter(([name]) => name !== '')
    .map(([name, own]) => {
      const first = new Map<string, Patient['rows'][number]>();
      for (const row of own) if (!first.has(row.prompt)) first.set(row.prompt, row);
      const prompts = [...first.values()];
      return { name, count: prompts.length, text: (at) => prompts[at].prompt, id: (at) => prompts[at].id };
    });

interface Read {
  readonly personal: PersonalRow[];
  readonly languages: Diagnosis['languages'];
}

function* readTexts(rows: Patient['rows']): Generator<ExamineProgress, Read> {
  const personal: PersonalRow[] = [];
  const languages = new Map<Language, string[]>();
  for (const [at, { id, prompt, answer }] of rows.entries()) {
    if (at % BLOCK === 0)
      yield { step: 'texts', share: ENDS.leakage + ((ENDS.texts - ENDS.leakage) * at) / rows.length };
    const text = `${prompt}\n${answer}`;
    const matches = personalData(text);
    if (matches.length > 0) personal.push({ id, matches });
    const language = languageOf(text);
    const own = languages.get(language);
    if (own) own.push(id);
    else languages.set(language, [id]);
  }
  return {
    personal,
    languages: [...languages]
      .map(([language, own]) => ({ language, rows: own }))
      .sort((a, b) => b.rows.length - a.rows.length || (a.language < b.language ? -1 : 1)),
  };
}

/**
 * Examines data by every means that needs no model. Places of personal data count from the start of
 * `prompt + "\n" + answer`. Yields the share of work done; to cancel, stop iterating.
 */
export function* examine(patient: Patient): Generator<ExamineProgress, Diagnosis> {
  const { rows, pairs, others = [], lengthOf = (text) => text.length } = patient;
  // different answers to one long prompt, such as the two of a pair, are no duplicates
  const answers = {
    count: rows.length,
    text: (at: number) => `${rows[at].prompt}\n${rows[at].answer}`,
    agree: similarTexts((at) => rows[at].answer, patient.nearDuplicates),
  };
  const near = yield* scaled(
    nearDuplicates(answers, patient.nearDuplicates),
    'duplicates',
    0,
    ENDS.duplicates,
  );
  const sides = [...splitsOf(rows), ...others];
  const leaks =
    sides.length < 2
      ? []
      : yield* scaled(leakage(sides, patient.nearDuplicates), 'leakage', ENDS.duplicates, ENDS.leakage);
  const { personal, languages } = yield* readTexts(rows);
  yield { step: 'pairs', share: ENDS.texts };
  return {
    exactDuplicates: exactDuplicates(rows),
    nearDuplicates: near.clusters
      .filter(({ exact }) => !exact)
      .map((cluster) => ({
        rows: cluster.rows.map((row) => rows[row].id),
        similarity: Math.min(...cluster.links.map(({ similarity }) => similarity)),
      })),
    contradictoryMarks: contradictoryMarks(rows),
    pairs: pairFindings(pairs),
    leaks,
    baselines: verdictBaselines(pairs),
    personalData: personal,
    languages,
    lengths: lengthHistogram(
      rows.map(({ id, answer }) => ({ id, text: answer })),
      lengthOf,
    ),
  };
}
