import { mappedFields, type Mapping } from '../../schema/mapping.ts';
import { referenceText } from './answers.ts';
import { conversationText, messagesOf } from './messages.ts';
import { bothRows } from './preferences.ts';
import {
  BadRecord,
  EmptyAnswer,
  isEmpty,
  markOf,
  type Fields,
  type RecordOf,
  type Shape,
  type ShapedRow,
} from './shape.ts';

/** The error of an incomplete mapping in words, or null. */
export const faultOf = (mapping: Mapping, columns: readonly string[]): string | null => {
  const missing = mappedFields.find(
    (field) => mapping[field] !== undefined && !columns.includes(mapping[field]),
  );
  if (missing !== undefined) return `There is no column "${mapping[missing]}" for ${missing}.`;
  if (mapping.prompt === undefined) return 'No column is chosen for the prompt.';
  if ((mapping.chosen === undefined) !== (mapping.rejected === undefined))
    return 'A pair needs a column for chosen and one for rejected.';
  if (mapping.answer !== undefined && mapping.chosen !== undefined)
    return 'Choose either one answer, or chosen and rejected.';
  return (mapping.answer ?? mapping.chosen ?? mapping.reference)
    ? null
    : 'No column is chosen for the answer, for chosen and rejected, or for the reference.';
};

/** A text column, or a list of messages as text. */
const textOrMessages = (fields: Fields, column: string, as: string, lone: string): string =>
  Array.isArray(fields.record[column])
    ? conversationText(messagesOf(fields, column, as), lone)
    : fields.text(column, as);

const answerOfPair = (fields: Fields, column: string, as: string): string => {
  if (isEmpty(fields.value(column, as))) throw new EmptyAnswer(`has no answer in "${column}"`);
  return textOrMessages(fields, column, as, 'assistant');
};

const referenceIn = (fields: Fields, column: string | undefined): string | null =>
  column === undefined ? null : referenceText(fields.value(column, 'reference'));

/** A layout whose columns a person has chosen. */
export const mappedShape = (mapping: Mapping): Shape => ({
  title: 'columns mapped by hand',
  needs: 'the mapped columns',
  matches: (record) => mapping.prompt !== undefined && mapping.prompt in record,
  why: () =>
    mappedFields
      .flatMap((field) => (mapping[field] === undefined ? [] : [`"${mapping[field]}" as ${field}`]))
      .join(', ') + ', as you chose.',
  rows: (fields) => rowsOf(fields, mapping),
});

const rowsOf = (fields: Fields, mapping: Mapping): readonly ShapedRow[] => {
  const prompt = textOrMessages(fields, mapping.prompt ?? 'prompt', 'prompt', 'user');
  const reference = referenceIn(fields, mapping.reference);
  if (mapping.chosen !== undefined && mapping.rejected !== undefined) {
    return bothRows({
      prompt,
      reference,
      chosen: answerOfPair(fields, mapping.chosen, 'right answer'),
      rejected: answerOfPair(fields, mapping.rejected, 'wrong answer'),
    });
  }
  const source = mapping.source === undefined ? '' : sourceIn(fields, mapping.source);
  if (mapping.answer === undefined) {
    if (reference === null) throw new BadRecord(`has nothing in "${mapping.reference}"`);
    return [{ prompt, answer: '', reference, correct: null, source }];
  }
  const answer = textOrMessages(fields, mapping.answer, 'answer', 'assistant');
  if (mapping.correct !== undefined) fields.value(mapping.correct, 'right or wrong');
  const correct = mapping.correct === undefined ? null : markOf(fields.record, mapping.correct);
  return [{ prompt, answer, reference, correct, source }];
};

const sourceIn = (fields: Fields, column: string): string => {
  const value = fields.value(column, 'source');
  return isEmpty(value)
    ? ''
    : typeof value === 'object'
      ? JSON.stringify(value)
      : String(value as string | number);
};

/** Names of the columns of some records, in order of appearance. */
export const columnsIn = (records: readonly RecordOf[]): string[] => [
  ...new Set(records.flatMap(Object.keys)),
];
