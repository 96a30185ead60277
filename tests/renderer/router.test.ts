import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { href, parseHash } from '../../renderer/lib/router.svelte.ts';

describe('addresses of views', () => {
  it('are parsed into path and query', () => {
    expect(parseHash('#/runs/abc/samples?step=3')).toEqual({
      path: ['runs', 'abc', 'samples'],
      query: { step: '3' },
    });
    expect(parseHash('')).toEqual({ path: [], query: {} });
    expect(parseHash('#token=00ff')).toEqual({ path: [], query: {} });
  });
  it('round-trip for any characters in names', () => {
    const name = fc.string({ minLength: 1, unit: 'grapheme' }).filter((text) => text.isWellFormed());
    fc.assert(
      fc.property(
        fc.array(name, { maxLength: 4 }),
        fc.dictionary(fc.stringMatching(/^[a-z]{1,6}$/), name, { maxKeys: 3 }),
        (path, query) => {
          expect(parseHash(href(path, query))).toEqual({ path, query: { ...query } });
        },
      ),
    );
  });
  it('omit empty values', () => {
    expect(href(['runs', 'new'], { dataset: undefined, labels: 'x' })).toBe('#/runs/new?labels=x');
  });
});
