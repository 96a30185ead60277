import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import {
  ago,
  bytes,
  count,
  delta,
  digitsFor,
  distinct,
  divergence,
  duration,
  firstLine,
  humanize,
  listed,
  number,
  plural,
  rate,
  withInterval,
} from '../../renderer/lib/format.ts';

it('lists all of a few names, and the first of many', () => {
  const names = ['a', 'b', 'c', 'd'];
  expect([0, 1, 3, 4].map((n) => listed(names.slice(0, n)))).toEqual(['', 'a', 'a, b, c', 'a, b and 2 more']);
});

it('adds more to the labels that several entries share, and to no other', () => {
  const entries = ['base 1', 'base 2', 'grpo 3'];
  const label = (entry: string) => entry.split(' ')[0];
  expect(distinct(entries, label, (entry) => entry.split(' ')[1])).toEqual(['base · 1', 'base · 2', 'grpo']);
});

describe('number formats', () => {
  it('write a rate without its leading zero, and with the requested digits', () => {
    expect([rate(0.634), rate(0.5, 1), rate(1), rate(0), rate(-0.042), rate(-4e-8)]).toEqual([
      '.634',
      '.5',
      '1.000',
      '.000',
      '−.042',
      '.000',
    ]);
  });
  it('write a rate with as many digits as its interval supports', () => {
    expect(withInterval(0.63412, [0.613, 0.655])).toBe('.634 [.613, .655]');
    expect(withInterval(0.6, [0.3, 0.9])).toBe('.60 [.30, .90]');
    expect(withInterval(0.71, [0.7099, 0.7101])).toBe('.7100 [.7099, .7101]');
  });
  it('keep two significant digits of the uncertainty, at most four decimal places', () => {
    expect([0.3, 0.021, 0.0021, 1e-9, 0].map(digitsFor)).toEqual([2, 3, 4, 4, 3]);
  });
  it('include the sign of a difference', () => {
    expect([delta(0.15), delta(-0.02), delta(0)]).toEqual(['+.150', '−.020', '.000']);
  });
  it('name non-finite values instead of hiding them', () => {
    expect([-4.6e-8, 0.00009, 0.0012, 52.9, Number.NaN].map(divergence)).toEqual([
      '0',
      '0',
      '.0012',
      '52.90',
      'not a number',
    ]);
    expect([number(Number.NaN), number(Infinity), number(-Infinity), rate(Number.NaN)]).toEqual([
      'not a number',
      '∞',
      '−∞',
      'not a number',
    ]);
  });
  it('are short for any size, and use an ASCII minus before a digit only in exponents', () => {
    fc.assert(
      fc.property(fc.double({ noNaN: true, noDefaultInfinity: true }), (value) => {
        const text = number(value);
        expect(text.length).toBeLessThanOrEqual(12);
        expect(text).not.toMatch(/^-/);
      }),
    );
  });
  it('write sizes, counts and times', () => {
    expect([bytes(999), bytes(1500), bytes(123_456_789)]).toEqual(['999 B', '1.5 kB', '123 MB']);
    expect([count(12_345), plural(1, 'pair'), plural(2, 'pair')]).toEqual(['12,345', '1 pair', '2 pairs']);
    expect([duration(12.4), duration(245), duration(7805)]).toEqual(['12 s', '4 min 05 s', '2 h 10 min']);
    expect([ago(0, 30_000), ago(0, 300_000), ago(0, 7_200_000)]).toEqual([
      'just now',
      '5 min ago',
      '2 h ago',
    ]);
  });
  it('turn keys into words and texts into one line', () => {
    expect(['learningRate', 'klWeight', 'sftWeight', 'passAt1'].map(humanize)).toEqual([
      'Learning rate',
      'KL weight',
      'SFT weight',
      'pass@1',
    ]);
    expect([humanize('timeMs'), humanize('memoryMb'), humanize('sd')], 'units').toEqual([
      'Time (ms)',
      'Memory (MB)',
      'SD',
    ]);
    expect(['datasetId', 'labelSetId', 'heldout', 'onlyCorrect', 'id'].map(humanize), 'by name').toEqual([
      'Dataset',
      'Label set',
      'Held-out share',
      'Correct answers only',
      'Id',
    ]);
    expect([firstLine('  a\nb'), firstLine('x'.repeat(10), 4)]).toEqual(['a', 'xxxx…']);
  });
});
