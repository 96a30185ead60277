import { answers, names } from './answers.ts';
import { argilla } from './argilla.ts';
import { conversationalAnswers } from './conversational-answers.ts';
import { conversations, shareGptConversations } from './conversations.ts';
import { gsm8k } from './gsm8k.ts';
import { labelStudio } from './label-studio.ts';
import { modelSolutions } from './model-solutions.ts';
import { ownLabels, ownRows } from './own.ts';
import { conversationalPreferences, explicitPreferences, implicitPreferences } from './preferences.ts';
import { problems } from './problems.ts';
import { shareGptPreferences } from './share-gpt.ts';
import { processBench, stepwise } from './steps.ts';
import { columnsOf, isEmpty, markIn, type RecordOf, type Shape } from './shape.ts';

/** Every known layout, the most specific first. A new one is its file and one line here. */
export const shapes: readonly Shape[] = [
  ownRows,
  ownLabels,
  modelSolutions,
  labelStudio,
  argilla,
  shareGptPreferences,
  conversationalPreferences,
  explicitPreferences,
  implicitPreferences,
  conversations,
  shareGptConversations,
  conversationalAnswers,
  stepwise,
  processBench,
  gsm8k,
  problems,
  answers,
];

/** Layout of a file: its shape, and the columns that mark answers as right or wrong. */
export interface Layout {
  readonly shape: Shape;
  readonly marks: readonly string[];
}

/** The layout of most of these first records (so that one odd record does not decide), or null. */
export const layoutOf = (records: readonly RecordOf[]): Layout | null => {
  const votes = records.map((record) => shapes.find((shape) => shape.matches(record)));
  const count = (shape: Shape) => votes.filter((vote) => vote === shape).length;
  const best = shapes.reduce((winner, shape) => (count(shape) > count(winner) ? shape : winner));
  return count(best) > 0
    ? { shape: best, marks: names.correct.filter((name) => isMark(records, name)) }
    : null;
};

/**
 * True if a column holds correctness marks. A "label" may also be a class, so each of its values must be a
 * mark; for the other names one is enough.
 */
const isMark = (records: readonly RecordOf[], name: string): boolean => {
  const marks = records
    .map((record) => record[name])
    .filter((value) => !isEmpty(value))
    .map(markIn);
  return name === 'label'
    ? marks.length > 0 && !marks.includes(undefined)
    : marks.some((mark) => mark !== undefined);
};

/** The error if no shape fits: the columns found, and the columns each shape needs. */
export const unrecognised = (record: RecordOf): { message: string; hint: string } => ({
  message: `The columns are not what any kind of dataset needs: found ${columnsOf(record)}.`,
  hint: `${listInside(record)}Needed: ${shapes.map((shape) => shape.needs).join('; or ')}.`,
});

/** Hints at a list of rows inside a file that is one object. */
const listInside = (record: RecordOf): string => {
  const isRows = (value: unknown): boolean =>
    Array.isArray(value) && typeof value[0] === 'object' && value[0] !== null;
  const name = Object.keys(record).find((column) => isRows(record[column]));
  if (name === undefined) return '';
  return `The list in "${name}" may be the rows: save that list by itself, or one of its objects a line. `;
};

export { argilla as argillaShape, labelStudio as labelStudioShape, ownLabels as ownLabelsShape };
export { columnsIn, faultOf, mappedShape } from './mapped.ts';
export { BadRecord, EmptyAnswer, Fields, type RecordOf, type Shape, type ShapedRow } from './shape.ts';
