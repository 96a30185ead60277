import { describe, expect, it } from 'vitest';
import { cosineOfCounts, likeFamilies, ngrams } from '../../../engine/evaluate/index.ts';
import { caught } from '../../support/errors.ts';

describe('families by likeness', () => {
  it('begin with a text that is like no first text before, and are the same for equal texts', () => {
    const texts = ['pick the lock', 'pick the locks', 'steal a car', 'pick the lock', 'steal a cart', ''];
    expect([...likeFamilies(texts)]).toEqual([0, 0, 1, 0, 1, 2]);
    expect([...likeFamilies([])]).toEqual([]);
  });

  it('join at the cosine of runs of three characters, and not just above it', () => {
    const cosine = cosineOfCounts(ngrams('abcd', 3), ngrams('bcde', 3));
    expect([...likeFamilies(['abcd', 'bcde'], cosine - 1e-9)]).toEqual([0, 0]);
    expect([...likeFamilies(['abcd', 'bcde'], cosine + 1e-9)]).toEqual([0, 1]);
    // no more families than asked for: the rest belong to none
    expect([...likeFamilies(['abcd', 'wxyz', 'klmn', 'abcd', 'klmn'], 0.5, 2)]).toEqual([0, 1, -1, 0, -1]);
    expect(caught(() => likeFamilies(['a'], Number.NaN))).toMatchObject({ kind: 'numeric' });
  });
});
