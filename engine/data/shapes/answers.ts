import { kindOf } from '../formats/record.ts';
import { conversationText, type Message } from './messages.ts';
import { BadRecord, isEmpty, type Fields, type RecordOf, type Shape } from './shape.ts';

/** Columns of test data, which are not answers. */
export const tested: readonly string[] = ['tests', 'test', 'schema', 'json_schema', 'pattern', 'regex'];

/** Alternative names of the same column; the first one that a record has counts. */
export const names: {
  readonly [K in 'prompt' | 'answer' | 'correct' | 'reference' | 'source']: readonly string[];
} = {
  prompt: ['prompt', 'question', 'instruction', 'problem', 'input'],
  answer: ['answer', 'completion', 'response', 'output', 'solution'],
  correct: ['correct', 'is_correct', 'right', 'label'],
  reference: ['reference', 'ground_truth', 'target', 'expected', 'final_answer', ...tested],
  source: ['source', 'model'],
};
export const columnFor = (record: RecordOf, what: keyof typeof names): string | undefined =>
  names[what].find((name) => name in record);
export const anyOf = (what: keyof typeof names): string =>
  names[what].map((name) => `"${name}"`).join(' or ');

/** One answer per record, optionally with a correctness mark and a reference. */
export const answers: Shape = {
  title: 'prompts and answers',
  needs: `a prompt (${anyOf('prompt')}) and an answer (${anyOf('answer')}), perhaps with a mark (${anyOf('correct')})`,
  matches: (record) => {
    const [prompt, answer] = [columnFor(record, 'prompt'), columnFor(record, 'answer')];
    return prompt !== undefined && answer !== undefined;
  },
  why: ({ record, markColumn }) => {
    const columns = {
      prompt: columnFor(record, 'prompt'),
      answer: columnFor(record, 'answer'),
      correct: markColumn,
      reference: columnFor(record, 'reference'),
    };
    const used = Object.entries(columns).flatMap(([what, column]) => {
      if (column === undefined) return [];
      const below = column === 'instruction' && 'input' in record ? ' with "input" below it' : '';
      return [`"${column}"${below}${column === what ? '' : ` as ${what}`}`];
    });
    return `${used.join(', ')}: one row for each answer.`;
  },
  rows: (fields) => {
    const prompt = promptOf(fields);
    const answer = fields.text(columnFor(fields.record, 'answer') ?? 'answer', 'answer');
    return [
      { prompt, answer, reference: referenceOf(fields), correct: fields.mark(), source: sourceOf(fields) },
    ];
  },
};

/** The prompt; an `input` next to an `instruction` belongs to it and follows it after a blank line. */
export const promptOf = (fields: Fields): string => {
  const column = columnFor(fields.record, 'prompt') ?? 'prompt';
  const last = lastPrompt(fields, column);
  const earlier = column === 'instruction' && fields.has('history') ? history(fields) : [];
  return earlier.length === 0 ? last : conversationText([...earlier, { role: 'user', content: last }]);
};

/** LLaMA-Factory's system message and earlier turns, `[[question, answer], …]`. */
const history = (fields: Fields): Message[] => {
  const turns = fields.value('history', 'earlier turns of the prompt') ?? [];
  const system = isEmpty(fields.record.system)
    ? []
    : [{ role: 'system', content: fields.text('system', 'system message') }];
  if (!Array.isArray(turns))
    throw new BadRecord(`has ${kindOf(turns)} in "history" where a list of turns is needed`);
  const messages = turns.map((turn: unknown): Message[] => {
    const texts: readonly unknown[] = Array.isArray(turn) ? turn : [];
    const [content, reply] = texts;
    if (typeof content !== 'string' || typeof reply !== 'string' || texts.length !== 2)
      throw new BadRecord('has in "history" a turn that is not [question, answer]');
    return [
      { role: 'user', content },
      { role: 'assistant', content: reply },
    ];
  });
  return [...system, ...messages.flat()];
};

const lastPrompt = (fields: Fields, column: string): string => {
  const prompt = fields.text(column, 'prompt');
  if (column !== 'instruction' || !fields.has('input')) return prompt;
  const input = fields.value('input', 'prompt, below "instruction"');
  if (isEmpty(input)) return prompt;
  if (typeof input !== 'string') throw new BadRecord(`has ${kindOf(input)} in "input" where text is needed`);
  return input.trim() === '' ? prompt : `${prompt}\n\n${input}`;
};

export const referenceOf = (fields: Fields): string | null => {
  const column = columnFor(fields.record, 'reference');
  return column === undefined ? null : referenceText(fields.value(column, 'reference'));
};

/** The source; if it is not text or a number, it stays an extra column. */
const sourceOf = (fields: Fields): string => {
  const column = columnFor(fields.record, 'source');
  const text = column === undefined ? null : optionalText(fields.record[column]);
  if (column === undefined || text === null) return '';
  fields.value(column, 'source');
  return text;
};

/** A number or text as text; null for anything else. */
const optionalText = (value: unknown): string | null => {
  if (typeof value === 'string') return value === '' ? null : value;
  return typeof value === 'number' || typeof value === 'boolean' ? String(value) : null;
};

/** A reference; it may be a number in the file, or an object (a schema), which is kept as JSON. */
export const referenceText = (value: unknown): string | null =>
  typeof value === 'object' && value !== null ? JSON.stringify(value) : optionalText(value);
