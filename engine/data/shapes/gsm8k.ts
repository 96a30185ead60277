import { BadRecord, textOf, type Shape } from './shape.ts';

const MARK = '####';

/** Questions with worked answers whose last line is `#### N`, as the training set of GSM8K. Such answers are the right ones. */
export const gsm8k: Shape = {
  title: 'worked right answers (GSM8K)',
  needs: `"question" and "answer" with a last line "${MARK} N"`,
  matches: (record) => 'question' in record && typeof record.answer === 'string' && record.answer.includes(MARK),
  why: () => `"question" and "answer", whose last line "${MARK} N" is the result: worked right answers.`,
  rows: (record) => {
    const prompt = textOf(record, 'question');
    const answer = textOf(record, 'answer');
    const at = answer.lastIndexOf(MARK);
    if (at < 0) throw new BadRecord(`has no "${MARK}" in "answer"`);
    return [{ prompt, answer, reference: answer.slice(at + MARK.length).trim(), correct: true, source: 'answer' }];
  },
};
