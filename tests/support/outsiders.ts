/** A file of marked solutions as people have them: ordinary rows with outliers in between. */
import { writeFileSync } from 'node:fs';

const QUESTIONS = 30;
/** Questions between groups of outliers of each kind. */
const EVERY = 6;

const row = (fields: object): string => JSON.stringify(fields);
/** Far beyond the context of any model trained here (512 tokens), even with long byte pairs. */
const endless = (i: number): string =>
  Array.from({ length: 900 }, (_, at) => `${(7919 * (at + i)) % 9973}`).join(' ');

/**
 * Lines of solutions to questions, right and wrong, with a reference; after every sixth question a long row,
 * an empty answer, letters beyond ASCII, an unknown column, a blank line.
 */
export const outsiderLines = (): string[] =>
  Array.from({ length: QUESTIONS }, (_, i) => {
    const prompt = `Ann has ${i} eggs and finds ${i % 7} more. How many eggs?`;
    const reference = String(i + (i % 7));
    const solutions = [
      row({ prompt, answer: `${i} + ${i % 7} = ${reference}\nA: ${reference}`, reference, correct: true }),
      row({ prompt, answer: `${i} - ${i % 7} = ${i}\nA: ${i + 99}`, reference, correct: false }),
    ];
    if (i % EVERY !== 0) return solutions;
    const other = `Zoë zählt ${i} Äpfel 🍎 – wie viele sind es?`;
    return [
      ...solutions,
      row({ prompt, answer: `${endless(i)}\nA: ${reference}`, reference, correct: true }),
      row({ prompt, answer: `${endless(i + 1)}\nA: ${i + 98}`, reference, correct: false }),
      row({ prompt: `${endless(i)} How many?`, answer: '1', reference: '1', correct: true }),
      row({ prompt, answer: '', reference, correct: false }),
      '',
      row({
        prompt: other,
        answer: `Es sind ${i} Äpfel.\nA: ${i}`,
        reference: String(i),
        correct: true,
        source_of_it: 'a column that nobody knows',
      }),
      row({ prompt: other, answer: `日本語で ${i + 1}\nA: ${i + 1}`, reference: String(i), correct: false }),
    ];
  }).flat();

export const writeOutsiders = (path: string): string => {
  writeFileSync(path, `${outsiderLines().join('\n')}\n`);
  return path;
};
