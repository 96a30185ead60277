import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { Fingerprints } from '../../../engine/data/fingerprints.ts';

describe('fingerprints of texts', () => {
  it('tell new texts from those that were added, as a set does', () => {
    fc.assert(
      fc.property(fc.array(fc.string({ maxLength: 3 })), (texts) => {
        const [known, fingerprints] = [new Set<string>(), new Fingerprints()];
        for (const text of texts) {
          expect(fingerprints.add(text)).toBe(!known.has(text));
          known.add(text);
        }
        expect(fingerprints.size).toBe(known.size);
      }),
    );
  });

  it('keep every text while the table grows', () => {
    const fingerprints = new Fingerprints();
    for (let at = 0; at < 50_000; at += 1) expect(fingerprints.add(`text ${at}`)).toBe(true);
    expect(fingerprints.size).toBe(50_000);
    for (let at = 0; at < 50_000; at += 7) expect(fingerprints.add(`text ${at}`)).toBe(false);
    expect(fingerprints.add('another text')).toBe(true);
  });
});
