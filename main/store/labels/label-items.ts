import * as z from 'zod';
import {
  DecisionDetails,
  labelMode,
  OptionChanges,
  type SetOptions,
} from '../../../engine/schema/labeling/index.ts';
import { WhetstoneError } from '../../../engine/common/errors.ts';
import type { Verdict } from '../../../engine/schema/preference.ts';
import { defaultOptions } from '../../../preload/wire/label-options.ts';
import type { Choice, PairShown } from '../../../preload/contract/labels.ts';

const StepRanges = z.array(z.tuple([z.number(), z.number()]));

/** One answer of an item that has other than two. */
export const StoredAnswer = z.object({
  text: z.string(),
  origin: z.string(),
  correct: z.boolean().nullable(),
  /** Offsets of the steps that the dataset has for it. */
  steps: StepRanges.optional(),
});

/** Columns of an item that are shown. */
export interface ItemRow {
  readonly a: string;
  readonly b: string;
  readonly left_is: 'a' | 'b';
  readonly answers: string | null;
}

/** Texts of an item's answers, in the order in which they are shown. */
export function answersShown({ a, b, left_is: leftIs, answers }: ItemRow): string[] {
  if (answers !== null)
    return z
      .array(StoredAnswer)
      .parse(JSON.parse(answers))
      .map(({ text }) => text);
  return leftIs === 'a' ? [a, b] : [b, a];
}

/** Offsets of the steps of an item's one answer, if its dataset has them. */
export function stepsShown({ answers }: Pick<ItemRow, 'answers'>): { steps?: [number, number][] } {
  if (answers?.includes('"steps":') !== true) return {};
  const [{ steps }] = z.array(StoredAnswer).min(1).parse(JSON.parse(answers));
  return steps === undefined ? {} : { steps };
}

/** What the page may know of an item that is to be decided. */
export const blind = (
  row: ItemRow & { readonly id: string; readonly position: number; readonly prompt: string },
): PairShown => ({
  pairId: row.id,
  position: row.position,
  prompt: row.prompt,
  answers: answersShown(row),
  ...stepsShown(row),
});

/** The side that a stored verdict chose. */
export function choiceOf(verdict: Verdict, { left_is: leftIs, answers }: ItemRow): Choice {
  if (verdict !== 'a' && verdict !== 'b') return verdict;
  if (answers !== null) return 'answered';
  return verdict === leftIs ? 'left' : 'right';
}

/** The stored verdict of a choice. */
export function verdictOf(choice: Choice | Verdict, { left_is: leftIs }: Pick<ItemRow, 'left_is'>): Verdict {
  if (choice === 'left') return leftIs;
  if (choice === 'right') return leftIs === 'a' ? 'b' : 'a';
  return choice === 'answered' ? 'a' : choice;
}

/** Details of an event; `{}` for events of earlier versions. */
export const detailsFrom = (stored: string | null): DecisionDetails =>
  stored === null ? {} : DecisionDetails.parse(JSON.parse(stored));

export const optionsFrom = (stored: string): SetOptions => ({
  ...defaultOptions,
  ...OptionChanges.parse(JSON.parse(stored)),
});

/** JSON of details; null if there are none. */
export function storedDetails(details: DecisionDetails): string | null {
  const kept = Object.entries(details).filter(
    ([, value]) => value !== undefined && value !== '' && !(Array.isArray(value) && value.length === 0),
  );
  return kept.length ? JSON.stringify(Object.fromEntries(kept)) : null;
}

/**
 * JSON of a decision's value; null where the verdict says all. Throws `invalid-input` if the decision does
 * not fit the mode.
 */
export function storedValue(
  choice: Choice | Verdict,
  value: unknown,
  { mode, options, row }: { mode: string; options: SetOptions; row: ItemRow },
): string | null {
  const answers = answersShown(row);
  const schema = labelMode(mode).value?.(answers.length, options, answers) ?? null;
  if (choice === 'skip') return null;
  if ((schema === null) === (choice === 'answered'))
    throw new WhetstoneError('invalid-input', `“${choice}” is no decision of a set in the mode “${mode}”.`, {
      where: 'verdict',
      hint: schema ? 'Give “answered” and its value, or “skip”.' : 'Choose a side, a tie, or skip.',
    });
  if (schema === null) return null;
  const parsed = schema.safeParse(value);
  if (!parsed.success) {
    const [issue] = parsed.error.issues;
    throw new WhetstoneError('invalid-input', `The value is invalid: ${issue.message}.`, {
      where: ['value', ...issue.path].join('.'),
    });
  }
  return JSON.stringify(parsed.data);
}
