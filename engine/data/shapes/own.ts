import { Message } from '../../schema/conversation.ts';
import { isObject, kindOf } from '../formats/record.ts';
import { BadRecord, isEmpty, markOf, type Fields, type RecordOf, type Shape } from './shape.ts';

const required = ['row', 'prompt', 'answer', 'reference', 'correct', 'source'];

/** Rows of a dataset as Whetstone exports them, with extra columns inside `extra` or named `extra.NAME`. */
export const ownRows: Shape = {
  title: 'rows of Whetstone',
  needs: `${required.map((name) => `"${name}"`).join(', ')} as Whetstone exports them`,
  matches: (record) => required.every((name) => name in record),
  why: () => 'An export of a dataset: each line is one row of it.',
  rows: (fields) => {
    fields.value('row', 'row');
    const messages = messagesIn(fields);
    const reference = fields.value('reference', 'reference');
    fields.value('correct', 'right or wrong');
    return [
      {
        prompt: textIn(fields, 'prompt'),
        answer: textIn(fields, 'answer'),
        reference: isEmpty(reference) ? null : String(reference),
        correct: markOf(fields.record, 'correct'),
        source: textIn(fields, 'source'),
        ...(messages && { messages }),
        extra: extraIn(fields),
      },
    ];
  },
};

/** A text that may be empty. */
const textIn = (fields: Fields, column: string): string => {
  const value = fields.value(column, column) ?? '';
  if (typeof value === 'string') return value;
  throw new BadRecord(`has ${kindOf(value)} in "${column}" where text is needed`);
};

/** A value of a cell: JSON where the format has only text. */
const cellOf = (value: unknown, column: string): unknown => {
  if (typeof value !== 'string') return value;
  try {
    return JSON.parse(value) as unknown;
  } catch {
    throw new BadRecord(`has in "${column}" text that is not JSON`);
  }
};

const messagesIn = (fields: Fields): Message[] | null => {
  if (isEmpty(fields.record.messages)) return null;
  const read = Message.array().safeParse(cellOf(fields.value('messages', 'conversation'), 'messages'));
  if (read.success) return read.data;
  throw new BadRecord('has no list of messages in "messages"');
};

const extraIn = (fields: Fields): RecordOf => {
  const whole = isEmpty(fields.record.extra) ? {} : fields.value('extra', 'other columns');
  if (!isObject(whole)) throw new BadRecord(`has ${kindOf(whole)} in "extra" where an object is needed`);
  const named = Object.keys(fields.record)
    .filter((name) => name.startsWith('extra.'))
    .map((name): [string, unknown] => [name.slice('extra.'.length), fields.value(name, 'other column')]);
  return { ...whole, ...Object.fromEntries(named.filter(([, value]) => !isEmpty(value))) };
};

const labelColumns = ['pairId', 'promptId', 'prompt', 'a', 'b', 'verdict', 'correctA', 'correctB'];

/** Labeled pairs as Whetstone exports them; the verdict says which answer is right. */
export const ownLabels: Shape = {
  title: 'labels of Whetstone',
  needs: `${labelColumns.map((name) => `"${name}"`).join(', ')} as Whetstone exports them`,
  matches: (record) => labelColumns.every((name) => name in record),
  why: () =>
    'An export of a label set: two rows for each pair, the preferred one as right, the other as wrong.',
  rows: (fields) => {
    const verdict = fields.text('verdict', 'verdict');
    fields.value('pairId', 'label');
    fields.value('promptId', 'label');
    const prompt = fields.text('prompt', 'prompt');
    const marks = { a: 'correctA', b: 'correctB' } as const;
    for (const name of Object.values(marks)) fields.value(name, 'correctness of an answer');
    return (['a', 'b'] as const).map((side) => ({
      prompt,
      answer: textIn(fields, side),
      reference: null,
      correct: verdict === 'a' || verdict === 'b' ? verdict === side : verdict === 'both-bad' ? false : null,
      source: side,
      extra: {
        pairId: fields.record.pairId,
        promptId: fields.record.promptId,
        verdict,
        ...(fields.record[marks[side]] !== null && { [marks[side]]: fields.record[marks[side]] }),
      },
    }));
  },
};
