/** The answer that a text ends with, by which texts are grouped. */
import { numbersIn } from '../../answers/numbers.ts';
import { partOf } from '../../rewards/verifiers/match.ts';

export interface AnswerReading {
  readonly answer: 'last-line' | 'marked' | 'number' | 'whole';
  readonly mark: string;
}

/** The answer in a text; null if there is none. Numbers that are written differently are the same answer. */
export const readAnswer = (text: string, { answer, mark }: AnswerReading): string | null => {
  if (answer === 'number') {
    const last = numbersIn(text).at(-1);
    return last ? String(last.value) : null;
  }
  const part = partOf(text, { part: answer, mark });
  return part === '' ? null : part;
};
