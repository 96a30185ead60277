import { lineMarks, type StepMark } from '../../engine/common/answer-steps.ts';
import type { Demonstration } from '../../engine/schema/preference.ts';
import type { Message } from '../../engine/schema/conversation.ts';
import type { DatasetRow } from '../../preload/contract/datasets.ts';
import { flag, unflag } from './context.ts';
import { fromJson, toJson } from './json.ts';

/** A row as it is stored. */
export type StoredRow = {
  row: number;
  line: number;
  prompt_id: string;
  prompt: string;
  answer: string;
  reference: string | null;
  correct: number | null;
  source: string;
  messages: string | null;
  extra: string | null;
};

export const fromRow = (r: StoredRow): DatasetRow => ({
  row: r.row,
  line: r.line,
  promptId: r.prompt_id,
  prompt: r.prompt,
  answer: r.answer,
  reference: r.reference,
  correct: flag(r.correct),
  source: r.source,
  ...(r.messages !== null && { messages: fromJson<Message[]>(r.messages) }),
  ...(r.extra !== null && { extra: fromJson<Record<string, unknown>>(r.extra) }),
});
export const stored = (r: DatasetRow): StoredRow => ({
  row: r.row,
  line: r.line,
  prompt_id: r.promptId,
  prompt: r.prompt,
  answer: r.answer,
  reference: r.reference,
  correct: unflag(r.correct),
  source: r.source,
  messages: r.messages ? toJson(r.messages) : null,
  extra: r.extra ? toJson(r.extra) : null,
});
/** Marks of the lines of an answer whose steps are marked; nothing for other rows. */
export function stepMarksOf({ answer, extra }: StoredRow): Pick<Demonstration, 'steps'> {
  if (extra?.includes('"stepLabels":') !== true) return {};
  const { steps, stepLabels, stepSeparator } = fromJson<Record<string, unknown>>(extra);
  const isMarked =
    Array.isArray(steps) &&
    Array.isArray(stepLabels) &&
    steps.every((step) => typeof step === 'string') &&
    stepLabels.every((label) => label === null || typeof label === 'boolean');
  if (!isMarked) return {};
  const separator = typeof stepSeparator === 'string' ? stepSeparator : undefined;
  const marks = lineMarks(answer, steps as string[], stepLabels as StepMark[], separator);
  return marks === undefined ? {} : { steps: marks };
}

/** Characters of a row. */
export const storedLength = (r: StoredRow): number =>
  r.prompt.length + r.answer.length + (r.messages?.length ?? 0) + (r.extra?.length ?? 0);

/** The columns of a stored row, for SQL. */
export const rowColumns = 'row, line, prompt_id, prompt, answer, reference, correct, source, messages, extra';
