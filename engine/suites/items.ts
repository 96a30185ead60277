/** Items of suites, read from records of the columns that each suite publishes. */
import { WhetstoneError } from '../common/errors.ts';
import type { SuiteKind } from '../schema/suite.ts';

/** A prompt with answers of which the first `correct` are right. */
export interface AnswersItem {
  readonly id: string;
  readonly subset: string;
  readonly prompt: string;
  readonly answers: readonly string[];
  readonly correct: number;
}

/** A stepwise answer; `label`: index of its first wrong step, −1 if all are right. */
export interface StepsItem {
  readonly id: string;
  readonly subset: string;
  readonly prompt: string;
  readonly steps: readonly string[];
  readonly label: number;
}

/** A record of a file, with its place for messages. */
export interface SuiteRecord {
  readonly place: string;
  readonly value: Readonly<Record<string, unknown>>;
}

const wrong = ({ place }: SuiteRecord, column: string, needed: string): WhetstoneError =>
  new WhetstoneError('invalid-input', `The column '${column}' of ${place} must be ${needed}.`, {
    where: column,
    hint: `The suite reads the columns ${Object.values(suiteColumns)
      .map((columns) => columns.join(', '))
      .join('; or ')}.`,
  });

/** Columns that each suite needs. */
export const suiteColumns: Readonly<Record<SuiteKind, readonly string[]>> = {
  rewardbench: ['prompt', 'chosen', 'rejected', 'subset'],
  'rewardbench-2': ['id', 'prompt', 'chosen (a list)', 'rejected (a list)', 'subset'],
  gold: ['prompt', 'chosen', 'rejected'],
  processbench: ['id', 'problem', 'steps (a list)', 'label'],
};

const textAt = (record: SuiteRecord, column: string): string => {
  const value = record.value[column];
  if (typeof value === 'string') return value;
  throw wrong(record, column, 'text');
};
const listAt = (record: SuiteRecord, column: string): readonly string[] => {
  const value = record.value[column];
  if (Array.isArray(value) && value.length > 0 && value.every((each) => typeof each === 'string'))
    return value;
  throw wrong(record, column, 'a list of texts that is not empty');
};
/** A number or text as text; the place of a record without an id. */
const idAt = (record: SuiteRecord): string => {
  const { id } = record.value;
  return typeof id === 'string' || typeof id === 'number' ? String(id) : record.place;
};

/** A pair of RewardBench (arXiv:2403.13787). */
const pair = (record: SuiteRecord): AnswersItem => ({
  id: idAt(record),
  subset: textAt(record, 'subset'),
  prompt: textAt(record, 'prompt'),
  answers: [textAt(record, 'chosen'), textAt(record, 'rejected')],
  correct: 1,
});

/** A pair of one's own, in the slice that a column names. */
const goldPair = (record: SuiteRecord, slice: string): AnswersItem => {
  const named = record.value[slice];
  return {
    id: idAt(record),
    subset: named === undefined || named === null || named === '' ? '(none)' : String(named as string),
    prompt: textAt(record, 'prompt'),
    answers: [textAt(record, 'chosen'), textAt(record, 'rejected')],
    correct: 1,
  };
};

/** A prompt of RewardBench 2 (arXiv:2506.01937): right and wrong answers. */
const several = (record: SuiteRecord): AnswersItem => {
  const [chosen, rejected] = [listAt(record, 'chosen'), listAt(record, 'rejected')];
  const { num_correct: correct } = record.value;
  if (correct !== undefined && correct !== null && Number(correct) !== chosen.length)
    throw wrong(record, 'num_correct', `the number of chosen answers, ${chosen.length}`);
  const subset = textAt(record, 'subset');
  const id = idAt(record);
  if (subset === 'Ties' && !/^(?:ref|tied):./.test(id))
    throw wrong(record, 'id', 'ref:NUMBER or tied:NUMBER in the subset Ties');
  if (subset !== 'Ties' && chosen.length !== 1) throw wrong(record, 'chosen', 'a list of one answer');
  return {
    id,
    subset,
    prompt: textAt(record, 'prompt'),
    answers: [...chosen, ...rejected],
    correct: chosen.length,
  };
};

/** A stepwise answer of ProcessBench (arXiv:2412.06559); its subset is the part of the id before the number. */
const stepwise = (record: SuiteRecord): StepsItem => {
  const [id, steps] = [idAt(record), listAt(record, 'steps')];
  const { label } = record.value;
  if (typeof label !== 'number' || !Number.isInteger(label) || label < -1 || label >= steps.length)
    throw wrong(record, 'label', `the index of the first wrong step, or -1, below ${steps.length}`);
  return {
    id,
    subset: /^(.+?)[-_]\d+$/.exec(id)?.[1] ?? '(all)',
    prompt: textAt(record, 'problem'),
    steps,
    label,
  };
};

const has = ({ value }: SuiteRecord, ...columns: readonly string[]): boolean =>
  columns.every((column) => value[column] !== undefined);

/** Subsets that only RewardBench has. */
const rewardBenchSubset = /^(?:alpacaeval|mt-bench|llmbar|refusals|xstest|donotanswer|hep|math-prm)/;

/** The suite whose columns a record has; a gold set for any other pair. Throws `invalid-input` without a pair. */
export function suiteKindOf(record: SuiteRecord): SuiteKind {
  if (has(record, 'problem', 'steps', 'label')) return 'processbench';
  if (!has(record, 'prompt', 'chosen', 'rejected'))
    throw wrong(
      record,
      ['prompt', 'chosen', 'rejected'].find((column) => !has(record, column)) ?? 'prompt',
      'there',
    );
  if (Array.isArray(record.value.chosen)) return 'rewardbench-2';
  const { subset } = record.value;
  return typeof subset === 'string' && rewardBenchSubset.test(subset) ? 'rewardbench' : 'gold';
}

export type SuiteItems =
  | { readonly kind: 'processbench'; readonly items: readonly StepsItem[] }
  | { readonly kind: Exclude<SuiteKind, 'processbench'>; readonly items: readonly AnswersItem[] };

/**
 * The items of a suite. `slice`: the column that divides a gold set. Throws `invalid-input` for a file without
 * records, and for a column that is missing or of another type, with its name and the line.
 */
export function suiteItems(
  records: readonly SuiteRecord[],
  { kind, slice = 'subset' }: { readonly kind?: SuiteKind | undefined; readonly slice?: string | undefined },
): SuiteItems {
  if (records.length === 0)
    throw new WhetstoneError('invalid-input', 'The file has no items.', {
      where: 'file',
      hint: 'Choose a file with at least one row.',
    });
  const chosen = kind ?? suiteKindOf(records[0]);
  if (chosen === 'processbench') return { kind: chosen, items: records.map(stepwise) };
  if (chosen === 'gold') {
    if (slice !== 'subset' && !records.some((record) => has(record, slice)))
      throw wrong(records[0], slice, 'there, to divide the pairs by it');
    return { kind: chosen, items: records.map((record) => goldPair(record, slice)) };
  }
  return { kind: chosen, items: records.map(chosen === 'rewardbench' ? pair : several) };
}
