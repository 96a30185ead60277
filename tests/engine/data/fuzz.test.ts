import { readFile } from 'node:fs/promises';
import { writeFileSync } from 'node:fs';
import { join } from 'node:path';
import fc from 'fast-check';
import { describe, expect, test } from 'vitest';
import { WhetstoneError } from '../../../engine/common/errors.ts';
import { readDataset, writers, type ExportItem } from '../../../engine/data/index.ts';
import { temporaryFolder } from '../../support/folder.ts';
import { writtenFile } from '../../support/written.ts';

const steps = { steps: ['s', 't'], stepLabels: [true, false] };
const rows: readonly ExportItem[] = Array.from({ length: 12 }, (_none, i) => ({
  row: {
    row: i,
    line: i + 1,
    prompt: `What is “${i}”?`,
    answer: `It is, "really",\r\n${i}.`,
    reference: i % 2 === 0 ? String(i) : null,
    correct: i % 3 === 0,
    source: 'a model',
    extra: { ...steps, depth: i },
  },
}));
const pairs: readonly ExportItem[] = Array.from({ length: 12 }, (_none, i) => ({
  pair: {
    pairId: `${i}`,
    promptId: `${i}`,
    prompt: `What is ${i}?`,
    a: `x ${i}`,
    b: `y ${i}`,
    verdict: i % 2 === 0 ? ('a' as const) : ('b' as const),
    correctA: null,
    correctB: null,
    reference: null,
    about: { labeler: 'me' },
  },
}));

/** A change of some bytes: overwritten, removed, repeated, or the rest cut off. */
const change = fc.record({
  kind: fc.constantFrom('overwrite', 'remove', 'repeat', 'cut'),
  at: fc.double({ min: 0, max: 1, maxExcluded: true, noNaN: true }),
  bytes: fc.uint8Array({ minLength: 1, maxLength: 6 }),
});
const changed = (
  bytes: Buffer,
  { kind, at, bytes: own }: typeof change extends fc.Arbitrary<infer T> ? T : never,
) => {
  const place = Math.floor(at * bytes.length);
  const [before, after] = [bytes.subarray(0, place), bytes.subarray(place)];
  if (kind === 'cut') return before;
  if (kind === 'remove') return Buffer.concat([before, after.subarray(own.length)]);
  if (kind === 'repeat') return Buffer.concat([before, after.subarray(0, 40), after]);
  return Buffer.concat([before, own, after.subarray(own.length)]);
};

/** Damaged copies of each format. */
const EACH = Math.ceil(5000 / writers.length);

describe('damaged files', () => {
  test.each(writers.map(({ id }) => id))(
    `${EACH} of %s: read to the end, or refused with a typed error that names the file`,
    { timeout: 120_000 },
    async (id) => {
      const folder = temporaryFolder();
      const writer = writers.find((each) => each.id === id);
      const { path } = await writtenFile(id, writer?.fromRow ? rows : pairs, folder);
      const whole = await readFile(path);
      const damaged = join(folder, `damaged${writer?.extension}`);
      await fc.assert(
        fc.asyncProperty(
          fc.array(change, { minLength: 1, maxLength: 3 }),
          fc.boolean(),
          async (changes, keep) => {
            writeFileSync(damaged, changes.reduce(changed, whole));
            let isDone = false;
            try {
              for await (const event of readDataset(damaged, { keepGoodLines: keep }))
                isDone = event.state === 'done';
              expect(isDone).toBe(true);
            } catch (error) {
              if (!(error instanceof WhetstoneError)) throw error;
              expect([error.kind, isDone]).toEqual(['invalid-input', false]);
              expect(error.where).toContain(damaged);
            }
          },
        ),
        { numRuns: EACH, seed: 3 },
      );
    },
  );
});
