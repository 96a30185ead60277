import { anyOf, columnFor, referenceText, tested } from './answers.ts';
import { BadRecord, textOf, type Shape } from './shape.ts';

/** A prompt and the expected answer, or what an answer is tested with: problems without anybody's answer. An expected answer counts as a right one. */
export const problems: Shape = {
  title: 'prompts and references',
  needs: `a prompt (${anyOf('prompt')}) and a reference (${anyOf('reference')})`,
  matches: (record) => columnFor(record, 'prompt') !== undefined && columnFor(record, 'reference') !== undefined && columnFor(record, 'answer') === undefined,
  why: (record) => {
    const [prompt, reference = ''] = [columnFor(record, 'prompt'), columnFor(record, 'reference')];
    return `"${prompt}" and "${reference}": ${tested.includes(reference) ? 'prompts without answers, and what answers are tested with' : 'the expected answer as one right answer for each prompt'}.`;
  },
  rows: (record) => {
    const prompt = textOf(record, columnFor(record, 'prompt') ?? 'prompt'), column = columnFor(record, 'reference') ?? 'reference';
    const reference = referenceText(record[column]);
    if (reference === null || reference.trim() === '') throw new BadRecord(`has nothing in "${column}"`);
    return [tested.includes(column) ? { prompt, answer: '', reference, correct: null, source: '' } : { prompt, answer: reference, reference, correct: true, source: column }];
  },
};
