import { markOf, textOf, type RecordOf, type Shape } from './shape.ts';

/** Columns with what answers are tested with; it is no answer itself. */
export const tested: readonly string[] = ['tests', 'test', 'schema', 'json_schema', 'pattern', 'regex'];
/** Names under which files keep the same thing; the first that a record has counts. */
export const names: { readonly [K in 'prompt' | 'answer' | 'correct' | 'reference' | 'source']: readonly string[] } = {
  prompt: ['prompt', 'question', 'instruction', 'problem'],
  answer: ['answer', 'completion', 'response', 'output', 'solution'],
  correct: ['correct', 'is_correct', 'right'],
  reference: ['reference', 'ground_truth', 'target', 'expected', 'final_answer', ...tested],
  source: ['source', 'model'],
};
export const columnFor = (record: RecordOf, what: keyof typeof names): string | undefined => names[what].find((name) => name in record);
export const anyOf = (what: keyof typeof names): string => names[what].map((name) => `"${name}"`).join(' or ');

/** One answer a record, perhaps with a mark and a reference. */
export const answers: Shape = {
  title: 'prompts and answers',
  needs: `a prompt (${anyOf('prompt')}) and an answer (${anyOf('answer')}), perhaps with a mark (${anyOf('correct')})`,
  matches: (record) => columnFor(record, 'prompt') !== undefined && columnFor(record, 'answer') !== undefined,
  why: (record) => {
    const used = (['prompt', 'answer', 'correct', 'reference'] as const).flatMap((what) => {
      const column = columnFor(record, what);
      return column === undefined ? [] : [`"${column}"${column === what ? '' : ` as ${what}`}`];
    });
    return `${used.join(', ')}: one row for each answer.`;
  },
  rows: (record) => {
    const correct = columnFor(record, 'correct');
    const reference = columnFor(record, 'reference');
    const source = columnFor(record, 'source');
    return [{
      prompt: textOf(record, columnFor(record, 'prompt') ?? 'prompt'),
      answer: textOf(record, columnFor(record, 'answer') ?? 'answer'),
      reference: reference === undefined ? null : referenceText(record[reference]),
      correct: correct === undefined ? null : markOf(record, correct),
      source: (source === undefined ? null : optionalText(record[source])) ?? '',
    }];
  },
};

/** Sources may be numbers in the file; what is neither text nor a number is none. */
const optionalText = (value: unknown): string | null =>
  typeof value === 'string' && value !== '' ? value : typeof value === 'number' || typeof value === 'boolean' ? String(value) : null;

/** A reference may be a number in the file, or an object (a schema), which is kept as JSON. */
export const referenceText = (value: unknown): string | null => (typeof value === 'object' && value !== null ? JSON.stringify(value) : optionalText(value));
