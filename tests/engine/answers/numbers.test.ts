import fc from 'fast-check';
import { describe, expect, test } from 'vitest';
import { finalNumber, isNumber, numbersIn } from '../../../engine/answers/numbers.ts';

describe('numbers in text', () => {
  test.each<[string, number[]]>([
    ['1,234.5', [1234.5]],
    ['1,234,567', [1234567]],
    ['−3', [-3]],
    ['-3', [-3]],
    ['+3', [3]],
    ['3/4', [0.75]],
    ['1 1/2 cups', [1.5]],
    ['1e3', [1000]],
    ['2.5E-2', [0.025]],
    ['$5', [5]],
    ['-$5', [-5]],
    ['$-5', [-5]],
    ['50%', [50]],
    ['50 percent', [50]],
    ['.5', [0.5]],
    ['5.', [5]],
    ['72 apples', [72]],
    ['5kg', [5]],
    ['16-3=13', [16, 3, 13]],
    ['16 - 3', [16, 3]],
    ['x=-3', [-3]],
    ['(2)-1', [2, 1]],
    ['B2', []],
    ['CO2', []],
    ['', []],
    ['no number', []],
    ['1/0', []],
    ['1e999', []],
    ['12,34', [12, 34]],
    ['1, 2 and 3', [1, 2, 3]],
    ['\\frac{3}{4}', [0.75]],
    ['-\\frac{1}{2}', [-0.5]],
    ['1{,}234', [1234]],
    ['\\$7', [7]],
    ['7\\%', [7]],
    ['€1,000', [1000]],
  ])('the numbers in %j are %j', (text, values) =>
    expect(numbersIn(text).map(({ value }) => value)).toEqual(values),
  );

  test.each<[string, number | null]>([
    ['She has 3 and 4, so 7.', 7],
    ['#### 72', 72],
    ['so 5\n#### 72 (of 100)', 72],
    ['\\boxed{72} in 3 steps', 72],
    ['\\boxed{\\frac{1}{2}}', 0.5],
    ['\\boxed{x = 12}', 12],
    ['#### 1\n\\boxed{2}', 2],
    ['\\boxed{2}\n#### 1', 1],
    ['\\boxed{}', null],
    ['#### none', null],
    ['\\boxed{7', 7],
    ['', null],
  ])('the final number of %j is %j', (text, value) => expect(finalNumber(text)?.value ?? null).toBe(value));

  test('any number survives being written, with separators and between words', () => {
    fc.assert(
      fc.property(
        fc.double({ min: -1e9, max: 1e9, noNaN: true }),
        fc.constantFrom('', '$', 'it is ', '= '),
        fc.constantFrom('', ' dollars', '.', '\n'),
        (value, before, after) => {
          const written = value.toLocaleString('en', { maximumFractionDigits: 6 });
          expect(numbersIn(`${before}${written}${after}`).at(-1)?.value).toBe(
            Number(written.replaceAll(',', '')) + 0,
          );
        },
      ),
    );
  });

  test('a text is a number if it contains nothing else except a label', () => {
    for (const text of [
      '72',
      ' 1,234.5 ',
      '-3',
      '3/4',
      '$5',
      '50%',
      '#### 72',
      'A: 18',
      'worked = 3\nA: 18',
      'Answer: 5.',
    ])
      expect(isNumber(text), text).toBe(true);
    for (const text of ['', 'B', '72 apples', 'about 5', '1 2', 'x=3', '3\nnone'])
      expect(isNumber(text), text).toBe(false);
  });
});
