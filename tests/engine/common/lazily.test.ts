import { expect, it } from 'vitest';
import { lazily } from '../../../engine/common/lazily.ts';

it('computes a property once, when it is first read, and is equal to, and copied as, a plain object', () => {
  let computed = 0;
  const made = lazily({ id: 'a' }, { size: () => (computed += 1), word: () => 'b' });
  expect([Object.keys(made), computed]).toEqual([['id', 'size', 'word'], 0]);
  expect([made.size, made.size, computed]).toEqual([1, 1, 1]);
  expect(made).toEqual({ id: 'a', size: 1, word: 'b' });
  expect(structuredClone(made)).toEqual({ ...made });
});

it('tries again after an error', () => {
  let tries = 0;
  const made = lazily(
    {},
    {
      value: () => {
        tries += 1;
        if (tries === 1) throw new Error('not yet');
        return tries;
      },
    },
  );
  expect(() => made.value).toThrow('not yet');
  expect(made.value).toBe(2);
});
