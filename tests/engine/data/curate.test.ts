import { existsSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import fc from 'fast-check';
import { describe, expect, test } from 'vitest';
import {
  correctnessPairs,
  Doctor,
  splitOf,
  writeJsonLines,
  type DataRow,
} from '../../../engine/data/index.ts';
import { Preference } from '../../../engine/schema/preference.ts';
import { temporaryFolder } from '../../support/folder.ts';

const rows: DataRow[] = Array.from({ length: 400 }, (_, row) => ({
  row,
  line: row + 1,
  promptId: `p${row % 100}`,
  prompt: `Prompt ${row % 100}`,
  answer: `answer ${row} ${'x'.repeat((row * 7) % 13)}`,
  reference: null,
  correct: [true, false, null][row % 3],
  source: '',
}));

describe('doctor', () => {
  const findings = (some: readonly DataRow[]) => {
    const doctor = new Doctor();
    for (const row of some) doctor.add(row);
    return doctor.findings({
      format: 'test',
      why: 'test',
      rows: some.length,
      rejected: 0,
      aside: 0,
      columns: [],
    });
  };

  test('counts the same pairs and length baselines as an enumeration of all right × wrong combinations', () => {
    const answer = fc.record({
      promptId: fc.constantFrom('p', 'q', 'r'),
      answer: fc.string({ maxLength: 5 }),
      correct: fc.constantFrom(true, false, null),
    });
    fc.assert(
      fc.property(fc.array(answer, { maxLength: 40 }), (some) => {
        const found = findings(some.map((one, row) => ({ ...rows[0], ...one, row })));
        let [pairs, longer, shorter] = [0, 0, 0];
        for (const right of some)
          for (const wrong of some) {
            if (right.promptId !== wrong.promptId || right.correct !== true || wrong.correct !== false)
              continue;
            pairs++;
            longer += Number(right.answer.length > wrong.answer.length);
            shorter += Number(right.answer.length < wrong.answer.length);
          }
        expect(found.pairs).toBe(pairs);
        expect(found.longestWins).toBe(pairs === 0 ? null : longer / pairs);
        expect(found.shortestWins).toBe(pairs === 0 ? null : shorter / pairs);
        expect(found.correct + found.wrong + found.unmarked).toBe(some.length);
        expect(found.duplicates).toBe(
          some.length - new Set(some.map((one) => `${one.promptId} ${one.answer}`)).size,
        );
      }),
    );
  });

  test('stays fast when one prompt has very many answers', () => {
    const many = Array.from({ length: 20_000 }, (_, row): DataRow => ({
      ...rows[0],
      row,
      answer: 'x'.repeat(row % 997),
      correct: row % 2 === 0,
    }));
    const found = findings(many);
    expect(found.pairs).toBe(10_000 ** 2);
    expect((found.longestWins ?? 0) + (found.shortestWins ?? 0)).toBeLessThanOrEqual(1);
  });
});

describe('pairs', () => {
  const pairs = [...correctnessPairs(rows)];

  test('combine every right answer with every wrong one, and are preferences', () => {
    const count = Object.values(Object.groupBy(rows, (row) => row.promptId)).reduce(
      (sum, some = []) =>
        sum + some.filter((r) => r.correct === true).length * some.filter((r) => r.correct === false).length,
      0,
    );
    expect(pairs).toHaveLength(count);
    for (const pair of pairs) {
      expect(Preference.parse(pair)).toEqual(pair);
      expect(pair.verdict === 'a' ? [pair.correctA, pair.correctB] : [pair.correctB, pair.correctA]).toEqual([
        true,
        false,
      ]);
    }
    expect(new Set(pairs.map((pair) => pair.pairId)).size).toBe(pairs.length);
  });

  test('have sides drawn by a keyed hash: about half each, reproducible, different for another seed', () => {
    const share = pairs.filter((pair) => pair.verdict === 'a').length / pairs.length;
    expect(Math.abs(share - 0.5)).toBeLessThan(4 * Math.sqrt(0.25 / pairs.length));
    expect([...correctnessPairs(rows)]).toEqual(pairs);
    expect([...correctnessPairs(rows, 1)].map((pair) => pair.verdict)).not.toEqual(
      pairs.map((pair) => pair.verdict),
    );
  });

  test('leave out a right and a wrong answer with the same text', () => {
    const same = rows
      .slice(0, 2)
      .map((row, i): DataRow => ({ ...row, promptId: 'p', answer: 'same', correct: i === 0 }));
    expect([...correctnessPairs(same)]).toEqual([]);
  });
});

describe('split', () => {
  test('holds out the requested share, and a larger share includes the prompts of a smaller one', () => {
    const ids = Array.from({ length: 20_000 }, (_, i) => `prompt ${i}`);
    for (const share of [0.05, 0.15, 0.5]) {
      const n = ids.filter((id) => splitOf(id, share) === 'heldout').length;
      expect(Math.abs(n / ids.length - share)).toBeLessThan(
        4 * Math.sqrt((share * (1 - share)) / ids.length),
      );
    }
    expect(
      ids.filter((id) => splitOf(id, 0.1) === 'heldout').every((id) => splitOf(id, 0.2) === 'heldout'),
    ).toBe(true);
  });
});

describe('export', () => {
  test('writes one JSON value per line', async () => {
    const path = join(temporaryFolder(), 'rows.jsonl');
    const written = await writeJsonLines(path, rows);
    const text = readFileSync(path, 'utf8');
    expect(written).toMatchObject({ rows: 400, bytes: Buffer.byteLength(text) });
    expect(
      text
        .trimEnd()
        .split('\n')
        .map((line) => JSON.parse(line) as unknown),
    ).toEqual(rows);
  });

  test('leaves no file behind when reading the rows fails', async () => {
    const path = join(temporaryFolder(), 'rows.jsonl');
    const failing = function* () {
      yield rows[0];
      throw new RangeError('no more rows');
    };
    await expect(writeJsonLines(path, failing())).rejects.toThrow('no more rows');
    expect([path, `${path}.partial`].some(existsSync)).toBe(false);
  });
});
