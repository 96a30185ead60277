import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { textStatistics, textStatisticsWidth } from '../../../engine/labeling/index.ts';

describe('text statistics', () => {
  it('are finite numbers for any texts, the same each time', () => {
    fc.assert(
      fc.property(fc.string({ unit: 'binary' }), fc.string({ unit: 'binary' }), (prompt, answer) => {
        const features = textStatistics(prompt, answer);
        expect(features).toHaveLength(textStatisticsWidth);
        expect(features.every(Number.isFinite)).toBe(true);
        expect(textStatistics(prompt, answer)).toEqual(features);
      }),
      { seed: 1, numRuns: 300 },
    );
  });

  it('differ by length, layout, words and overlap with the prompt', () => {
    const of = (answer: string) => [...textStatistics('How old is the bridge?', answer)].join();
    const texts = [
      '',
      'Old.',
      'The bridge is old.',
      '- The bridge\n- is old.',
      'Ask the river, then.',
      'OLD.',
    ];
    expect(new Set(texts.map(of)).size).toBe(texts.length);
  });

  it('read a long text up to a bound', () => {
    const long = 'word '.repeat(100_000);
    expect(textStatistics('', long)).toEqual(textStatistics('', `${long} more`));
  });
});
