import { anyOf, columnFor, promptOf, referenceText, tested } from './answers.ts';
import { BadRecord, type Shape } from './shape.ts';

/**
 * A prompt and a reference answer or tests, without an answer. A reference answer counts as a right answer.
 */
export const problems: Shape = {
  title: 'prompts and references',
  needs: `a prompt (${anyOf('prompt')}) and a reference (${anyOf('reference')})`,
  matches: (record) => {
    const [prompt, reference] = [columnFor(record, 'prompt'), columnFor(record, 'reference')];
    return prompt !== undefined && reference !== undefined && columnFor(record, 'answer') === undefined;
  },
  why: ({ record }) => {
    const [prompt, reference = ''] = [columnFor(record, 'prompt'), columnFor(record, 'reference')];
    const what = tested.includes(reference)
      ? 'prompts without answers, and what answers are tested with'
      : 'the expected answer as one right answer for each prompt';
    return `"${prompt}" and "${reference}": ${what}.`;
  },
  rows: (fields) => {
    const prompt = promptOf(fields);
    const column = columnFor(fields.record, 'reference') ?? 'reference';
    const reference = referenceText(fields.value(column, 'reference'));
    if (reference === null || reference.trim() === '') throw new BadRecord(`has nothing in "${column}"`);
    return [
      tested.includes(column)
        ? { prompt, answer: '', reference, correct: null, source: '' }
        : { prompt, answer: reference, reference, correct: true, source: column },
    ];
  },
};
