import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import {
  labelMode,
  splitSteps,
  stepRanges,
  stepsAt,
  type SetOptions,
} from '../../../engine/schema/labeling/index.ts';
import { lineMarks } from '../../../engine/common/answer-steps.ts';
import { defaultOptions } from '../../../preload/wire/label-options.ts';

const issueOf = (mode: string, value: unknown, answer: string, options: SetOptions = defaultOptions) => {
  const parsed = labelMode(mode).value?.(1, options, [answer]).safeParse(value);
  return parsed?.success ? null : parsed?.error.issues[0].message;
};
const valueOf = (mode: string, value: unknown, answer: string): unknown =>
  labelMode(mode).value?.(1, defaultOptions, [answer]).parse(value);

describe('the steps of an answer', () => {
  it.each([
    ['blank lines', 'a b.\nc\n\nd\n\n\ne', ['a b.\nc', 'd', '\ne'], '\n\n'],
    ['blank lines of Windows', 'a\r\n\r\nb', ['a', 'b'], '\r\n\r\n'],
    ['line breaks', '\na\n b\nc\n', ['\na', ' b', 'c\n'], '\n'],
    ['numbered steps', '1. Add 2. 2. Take 3. 3. Stop', ['1. Add 2.', '2. Take 3.', '3. Stop'], ' '],
    ['named steps', 'Step 1: add. Step 2: stop', ['Step 1: add.', 'Step 2: stop'], ' '],
    ['sentences', 'It is 3.5, e.g. so. Is it? Yes!', ['It is 3.5, e.g. so.', 'Is it?', 'Yes!'], ' '],
    ['sentences of Chinese', '一加一。二！三', ['一加一。', '二！', '三'], ''],
    ['nothing', 'no step here', ['no step here'], '\n\n'],
    ['an empty answer', '', [''], '\n\n'],
    ['white space', ' \n\n ', [' \n\n '], '\n\n'],
  ])('are found by %s', (_by, answer, steps, separator) => {
    expect(splitSteps(answer)).toEqual({ steps, separator });
  });

  it('joined by the separator are the answer, each with text, at their offsets', () => {
    const texts = fc.array(fc.constantFrom('a', 'B.', ' ', '\n', '\r\n', '1. ', '。', '😀', '\ud83d'));
    fc.assert(
      fc.property(texts, (parts) => {
        const answer = parts.join('');
        const split = splitSteps(answer);
        expect(split.steps.join(split.separator)).toBe(answer);
        if (answer.trim() !== '') for (const step of split.steps) expect(step.trim()).not.toBe('');
        const again = stepsAt(answer, stepRanges(split));
        expect(again.steps).toEqual(split.steps);
        if (split.steps.length > 1) expect(again.separator).toBe(split.separator);
      }),
      { seed: 13, numRuns: 500 },
    );
  });
});

describe('the marks of lines', () => {
  it.each([
    [['a', 'b'], [true, false], 'a\n\nb', undefined, [true, null, false]],
    [['a\nb', 'c\n'], [true, null], 'a\nb\nc\n', undefined, [null, true, null, null]],
    [['a.', 'b.'], [true, false], 'a. b.', ' ', [false]],
    [['a', 'b'], [false, true], 'a b', ' ', [false]],
    [['a', 'b'], [true], 'a\nb', undefined, [true, null]],
    [['a', 'b'], [true, true], 'edited', undefined, undefined],
  ])('are those of the steps %j, %j', (steps, marks, answer, separator, lines) => {
    expect(lineMarks(answer, steps, marks, separator)).toEqual(lines);
  });
});

describe('a judgement of correctness', () => {
  it('gets the steps of the answer, and keeps given ones', () => {
    expect(valueOf('correctness', { correct: false, firstWrong: 1 }, 'a\nb')).toEqual({
      correct: false,
      firstWrong: 1,
      steps: [
        [0, 1],
        [2, 3],
      ],
    });
    const given = { correct: true, steps: [[0, 3]] };
    expect(valueOf('correctness', given, 'a\nb')).toEqual(given);
  });

  it.each([
    [{ correct: true, firstWrong: 0 }, 'a correct answer has no wrong step'],
    [{ correct: false, firstWrong: 2 }, 'the answer has no step 2 (they count from 0, and there are 2)'],
    [
      {
        correct: false,
        steps: [
          [0, 2],
          [1, 3],
        ],
      },
      'the steps overlap or are not in order',
    ],
    [{ correct: false, steps: [[0, 4]] }, 'a step ends after the answer'],
  ])('%j is refused', (value, message) => {
    expect(issueOf('correctness', value, 'a\nb')).toBe(message);
  });

  it.each([null, [], 'wrong', { correct: 'yes' }, { correct: true, steps: [] }, { correct: true, more: 1 }])(
    '%j is refused, too',
    (value) => {
      expect(issueOf('correctness', value, 'a\nb')).not.toBeNull();
    },
  );
});

describe('marked spans', () => {
  const answer = 'so 😀 good';
  const span = (start: number, end: number, label = 'wrong') => ({ start, end, label });
  it('are put in order; spans of different labels may overlap, and an answer may have none', () => {
    const spans = [span(3, 5), span(0, 2), { ...span(0, 5, 'good'), comment: 'why' }];
    expect(valueOf('spans', { spans }, answer)).toEqual({ spans: [spans[1], spans[2], spans[0]] });
    expect(valueOf('spans', { spans: [] }, answer)).toEqual({ spans: [] });
  });

  it.each([
    [[span(2, 2)], 'the span is empty'],
    [[span(3, 2)], 'the span is empty'],
    [[span(0, 11)], 'the span ends after the answer (10 UTF-16 code units)'],
    [[span(0, 4)], 'the span cuts a character in two'],
    [[span(4, 6)], 'the span cuts a character in two'],
    [[span(0, 2, 'odd')], 'the set has no label “odd”'],
    [[span(0, 2), span(0, 2)], 'it overlaps another span with the label “wrong”'],
    [[span(0, 2), span(1, 3)], 'it overlaps another span with the label “wrong”'],
  ])('%j are refused', (spans, message) => {
    expect(issueOf('spans', { spans }, answer)).toBe(message);
  });
});
