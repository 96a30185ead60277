import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { blocksOf } from '../../renderer/features/labeling/blocks.ts';
import { differences } from '../../renderer/lib/text-differences.ts';

describe('blocks of a text', () => {
  it('hold the whole text, cut at line breaks only, and keep what is marked', () => {
    const texts = fc.array(fc.constantFrom('a word ', '\n', 'x'.repeat(500), '\n\n', 'end.'), {
      maxLength: 40,
    });
    fc.assert(
      fc.property(
        fc.array(fc.record({ text: texts.map((each) => each.join('')), changed: fc.boolean() })),
        (segments) => {
          const blocks = blocksOf(segments);
          const whole = (parts: readonly { text: string }[]) => parts.map((each) => each.text).join('');
          expect(blocks.map((block) => whole(block.segments)).join('\n')).toBe(whole(segments));
          const marked = (parts: readonly { text: string; changed: boolean }[]) =>
            whole(parts.filter(({ changed }) => changed)).replaceAll('\n', '');
          expect(marked(blocks.flatMap((block) => block.segments))).toBe(marked(segments));
        },
      ),
    );
  });
});

describe('differences between two answers', () => {
  const text = (stretches: readonly { text: string }[]) => stretches.map((each) => each.text).join('');
  const same = (stretches: readonly { text: string; changed: boolean }[]) =>
    stretches
      .filter(({ changed }) => !changed)
      .map((each) => each.text)
      .join('')
      .replace(/\s+/g, '');

  it('mark only what differs', () => {
    const { left, right } = differences('the answer is 12', 'the answer is 13');
    expect(left.filter(({ changed }) => changed)).toEqual([{ text: '12', changed: true }]);
    expect(right.filter(({ changed }) => changed)).toEqual([{ text: '13', changed: true }]);
    expect(differences('same', 'same').left).toEqual([{ text: 'same', changed: false }]);
  });
  it('lose no text, and leave only common text unmarked', () => {
    const words = fc
      .array(fc.constantFrom('a', 'b', '12', ' ', '\n', '+', 'no'), { maxLength: 30 })
      .map((each) => each.join(''));
    fc.assert(
      fc.property(words, words, (a, b) => {
        const { left, right } = differences(a, b);
        expect([text(left), text(right)]).toEqual([a, b]);
        expect(same(left)).toBe(same(right));
      }),
    );
  });
  it('are computed line by line for long texts', () => {
    const long = Array.from({ length: 900 }, (_, i) => `line ${i}\n`);
    const { left } = differences(long.join(''), long.with(450, 'other\n').join(''));
    expect(left.filter(({ changed }) => changed).map((each) => each.text)).toEqual(['line 450\n']);
  });
});
