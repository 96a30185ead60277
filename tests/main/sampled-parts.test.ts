import { describe, expect, it } from 'vitest';
import type { WhetstoneError } from '../../engine/common/errors.ts';
import { Bits } from '../../main/store/rows/bits.ts';
import { EqualAnswers, textKey } from '../../main/store/sampled/keys.ts';
import { firstBy, percentiles } from '../../main/store/sampled/order.ts';
import { pack, unpackInto } from '../../main/store/sampled/packed.ts';
import { parseSampleQuery, sortFromText, sortText } from '../../preload/wire/sample-query.ts';
import { caught } from '../support/errors.ts';
import ranks from '../support/oracles/ranks.json' with { type: 'json' };
import { all } from '../support/sampled-answers.ts';

describe('percentile ranks', () => {
  const number = (value: unknown): number =>
    value === null ? Number.NaN : Number(String(value).replace('inf', 'Infinity'));
  it.each(ranks)('of $values are those of SciPy', ({ values, ranks: expected }) => {
    const found = percentiles(Float64Array.from(values, number));
    expect([...found].map((each) => each.toFixed(12))).toEqual(
      expected.map((each) => number(each).toFixed(12)),
    );
  });
});

describe('packed numbers', () => {
  it.each([
    [[3, 3, 3], 16],
    [[Number.NaN, Number.NaN], 16],
    [[0, 1, 255], 11],
    [[0, 256, 65_535], 14],
    [[-1, 70_000, 2 ** 31 - 1], 20],
    [[0.5, Number.NaN, -Infinity], 20],
    [[0.1, 2 ** 53 - 1, Number.NaN], 32],
    [[], 16],
  ])('%j are the same after unpacking, in %i bytes', (values, bytes) => {
    const packed = pack(Float64Array.from(values));
    expect(packed.byteLength).toBe(bytes);
    const back = new Float64Array(values.length);
    unpackInto(packed, back, 0, values.length);
    expect([...back]).toEqual(values);
  });
});

describe('the first rows of equal texts', () => {
  it('are those of a Map, among many keys', () => {
    const texts = all.map(({ completion }) => completion);
    const prompts = all.map(({ promptId }) => promptId);
    const found = new EqualAnswers().add(
      0,
      Float64Array.from(prompts, textKey),
      Float64Array.from(texts, textKey),
    );
    const firsts = new Map<string, number>();
    const expected = all.map(({ promptId, completion }, row) => {
      const key = `${promptId}/${completion}`;
      firsts.set(key, firsts.get(key) ?? row);
      return firsts.get(key);
    });
    expect([...found.answers]).toEqual(expected);
    expect(found.prompts[7000]).toBe(prompts.indexOf(prompts[7000]));
  });
});

describe('rows backwards', () => {
  it('are the rows of a set, the last one first, across words', () => {
    const rows = [0, 1, 30, 31, 32, 63, 64, 99];
    const found: number[] = [];
    Bits.of(100, rows).forEachBack((row) => found.push(row));
    expect(found).toEqual(rows.toReversed());
  });
});

describe('the first rows by key', () => {
  it('are those of a sort, ties newest first and NaN last', () => {
    const values = Float64Array.from([2, Number.NaN, 2, -1, 5, Number.NaN]);
    const among = Bits.of(6, [0, 1, 2, 3, 4, 5]);
    expect(firstBy(values, true, among, 4)).toEqual([4, 2, 0, 3]);
    expect(firstBy(values, false, among, 9)).toEqual([3, 2, 0, 4, 5, 1]);
    expect(firstBy(values, false, among, 0)).toEqual([]);
  });
});

describe('the language of answers', () => {
  it('reads words for states, and refuses others with their term', () => {
    expect(parseSampleQuery('truncated')).toMatchObject({ kind: 'value', column: 'stop', value: 'length' });
    expect(parseSampleQuery('"truncated"')).toMatchObject({ kind: 'text' });
    expect(parseSampleQuery('is:correct')).toMatchObject({ kind: 'mark', mark: 'right' });
    expect(parseSampleQuery('superseded')).toMatchObject({ kind: 'text' });
    const error = caught(() => parseSampleQuery('reward>1 is:edited')) as WhetstoneError;
    expect(error.facts).toMatchObject({ kind: 'invalid-input', where: 'is:edited' });
  });

  it.each(['reward', '-reward', '-match/numeric~verifier', 'length'])(
    'writes the order %s as it reads it',
    (text) => {
      const sort = sortFromText(text);
      expect(sort && sortText(sort)).toBe(text);
    },
  );
});
