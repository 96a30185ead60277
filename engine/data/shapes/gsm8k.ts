import { columnFor, names } from './answers.ts';
import { BadRecord, markIn, type RecordOf, type Shape } from './shape.ts';

const MARK = '####';

/** True if the record states its own correctness, so that its answer is not taken as a worked solution. */
const isJudged = (record: RecordOf): boolean =>
  columnFor(record, 'reference') !== undefined ||
  names.correct.some((name) => markIn(record[name]) !== undefined);

/**
 * Questions with worked answers whose last line is `#### N`, as the training set of GSM8K. Such answers
 * count as right.
 */
export const gsm8k: Shape = {
  title: 'worked right answers (GSM8K)',
  needs: `"question" and "answer" with a last line "${MARK} N"`,
  matches: (record) =>
    'question' in record &&
    typeof record.answer === 'string' &&
    record.answer.includes(MARK) &&
    !isJudged(record),
  why: () => `"question" and "answer", whose last line "${MARK} N" is the result: worked right answers.`,
  rows: (fields) => {
    const prompt = fields.text('question', 'prompt');
    const answer = fields.text('answer', 'answer and, after "####", reference');
    const at = answer.lastIndexOf(MARK);
    if (at < 0) throw new BadRecord(`has no "${MARK}" in "answer"`);
    if (isJudged(fields.record))
      throw new BadRecord('has a mark or a reference of its own, unlike the lines before it');
    return [
      { prompt, answer, reference: answer.slice(at + MARK.length).trim(), correct: true, source: 'answer' },
    ];
  },
};
