import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { labelMode } from '../../engine/schema/labeling/index.ts';
import { defaultOptions } from '../../preload/wire/label-options.ts';
import { judge } from '../../renderer/features/labeling/judging.ts';
import {
  assign,
  comment,
  markingOf,
  move,
  nextSpan,
  removeAt,
  segmentsOf,
  select,
  spanAt,
  type Marking,
} from '../../renderer/features/labeling/marking.ts';

const none = markingOf(undefined);
const right = { unit: 'word', step: 1, extend: false } as const;
const take = { ...right, extend: true };
const textOf = (text: string, { anchor, caret }: Marking): string =>
  text.slice(Math.min(anchor, caret), Math.max(anchor, caret));

describe('the caret in an answer', () => {
  const text = 'The sky, it is green. So they say.';
  it('goes from word to word, and selects whole words', () => {
    const second = move(none, text, right);
    expect(second.caret).toBe(4);
    const one = move(second, text, take);
    expect(textOf(text, one)).toBe('sky');
    const two = move(one, text, take);
    expect(textOf(text, two)).toBe('sky, it');
    expect(textOf(text, move(two, text, { ...take, step: -1 }))).toContain('sky');
    expect(move(move(one, text, { ...take, step: -1 }), text, { ...take, step: -1 }).caret).toBeLessThan(4);
  });

  it('takes whole sentences, and stays within the text', () => {
    const sentence = { unit: 'sentence', step: 1, extend: true } as const;
    expect(textOf(text, move(none, text, sentence))).toBe('The sky, it is green.');
    const all = move(move(move(none, text, sentence), text, sentence), text, sentence);
    expect(textOf(text, all)).toBe(text);
    expect(move(none, '', take)).toEqual(none);
  });
});

describe('marking', () => {
  const text = 'one two three';
  it('marks the selection, or the word at the caret, and joins spans of one label', () => {
    const word = assign(select(none, text, 5, 5), text, 'wrong');
    expect(word.spans).toEqual([{ start: 4, end: 7, label: 'wrong' }]);
    const joined = assign(select(word, text, 6, 13), text, 'wrong');
    expect(joined.spans).toEqual([{ start: 4, end: 13, label: 'wrong' }]);
    expect(assign(select(none, text, 3, 4), text, 'wrong').spans).toEqual([]);
  });

  it('comments, visits and removes spans', () => {
    const two = assign(select(assign(select(none, text, 0, 3), text, 'good'), text, 8, 13), text, 'wrong');
    const first = nextSpan(two, 1);
    const span = spanAt(first);
    expect(span).toMatchObject({ start: 0, label: 'good' });
    if (!span) throw new Error('no span');
    const noted = comment(first, span, ' fine ');
    expect(noted.spans[0]).toMatchObject({ comment: 'fine' });
    expect(comment(noted, noted.spans[0], '').spans[0]).toEqual(span);
    expect(removeAt(noted).spans).toEqual([two.spans[1]]);
  });

  it('makes values that the engine accepts, whatever the keys and the text', () => {
    const key = fc.record({
      unit: fc.constantFrom('word' as const, 'sentence' as const),
      step: fc.constantFrom(1 as const, -1 as const),
      extend: fc.boolean(),
      label: fc.option(fc.constantFrom(...defaultOptions.spanLabels)),
      at: fc.option(fc.nat(30)),
    });
    fc.assert(
      fc.property(fc.string({ unit: 'binary', maxLength: 30 }), fc.array(key), (answer, keys) => {
        const marking = keys.reduce((before, { label, at, ...movement }) => {
          const there =
            at === null ? move(before, answer, movement) : select(before, answer, before.anchor, at);
          return label === null ? there : assign(there, answer, label);
        }, none);
        const parsed = labelMode('spans').value?.(1, defaultOptions, [answer]).safeParse({
          spans: marking.spans,
        });
        expect(parsed?.success).toBe(true);
        const segments = segmentsOf(answer, marking.spans, marking);
        expect(segments.map((each) => each.text).join('')).toBe(answer);
        expect(segments.filter(({ caret }) => caret)).toHaveLength(1);
      }),
      { seed: 13, numRuns: 300 },
    );
  });
});

describe('judging', () => {
  const pair = { answers: ['a\nb\nc'] };
  it('decides by one key, or after the first wrong step is chosen', () => {
    expect(judge(undefined, pair, 'correct')).toMatchObject({ value: { correct: true }, complete: true });
    expect(judge(undefined, pair, 2)).toMatchObject({ value: { firstWrong: 1 }, complete: true });
    expect(judge(undefined, pair, 4)).toMatchObject({ complete: false });
    const begun = judge(undefined, pair, 'incorrect');
    expect(begun.complete).toBe(false);
    expect(judge(begun.value, pair, 'incorrect').value).not.toHaveProperty('firstWrong');
    const moved = judge(judge(begun.value, pair, 'down').value, pair, 'down');
    expect(judge(moved.value, pair, 'incorrect')).toMatchObject({
      value: { correct: false, firstWrong: 1 },
      complete: true,
    });
    expect(judge(undefined, pair, 'up').value).toMatchObject({ firstWrong: 2 });
  });

  it('keeps the steps of the dataset', () => {
    expect(judge(undefined, { ...pair, steps: [[0, 5]] }, 'correct').value).toMatchObject({
      steps: [[0, 5]],
    });
  });
});
