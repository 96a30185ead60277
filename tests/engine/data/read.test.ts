import { writeFileSync } from 'node:fs';
import { join } from 'node:path';
import fc from 'fast-check';
import { describe, expect, expectTypeOf, test } from 'vitest';
import { readDataset, type DataRow, type RejectedLine } from '../../../engine/data/index.ts';
import { Doctor as DoctorShape, type DatasetRow, type Rejected } from '../../../preload/contract/datasets.ts';
import { testWithData } from '../../support/data.ts';
import { rejected } from '../../support/errors.ts';
import { temporaryFolder } from '../../support/folder.ts';
import { fileWith, goodRow, jsonLines, readAll } from '../../support/read-dataset.ts';

describe('formats', () => {
  const records = Array.from({ length: 120 }, (_, i) => goodRow(i));
  const quoted = (text: string) => `"${text.replaceAll('"', '""')}"`;
  const table = (separator: string) =>
    ['prompt', 'answer', 'correct'].join(separator) +
    '\n' +
    records.map((r) => [quoted(r.prompt), quoted(r.answer), r.correct].join(separator)).join('\n');
  test.each([
    ['JSON lines', 'a.jsonl', jsonLines(...records)],
    ['JSON lines', 'no-name', `\n\n${jsonLines(...records)}\n\n`],
    ['JSON lines', 'windows.ndjson', jsonLines(...records).replaceAll('\n', '\r\n')],
    ['JSON array', 'a.json', JSON.stringify(records)],
    ['JSON array', 'pretty.json', JSON.stringify(records, null, 2)],
    ['CSV', 'a.csv', table(',')],
    ['CSV', 'a.tsv', table('\t')],
    ['CSV', 'no-name-either', table(';')],
  ])('%s (%s) gives the same rows', async (format, name, text) => {
    const { rows, doctor } = await readAll(fileWith(name, text));
    expect(rows.map(({ prompt, answer, correct }) => ({ prompt, answer, correct }))).toEqual(records);
    expect(rows.map((row) => row.row)).toEqual(records.map((_, i) => i));
    expect(doctor.format).toContain(format);
  });

  test('counts lines as an editor does', async () => {
    expect(
      (await readAll(fileWith('a.jsonl', `\n${jsonLines(goodRow(1))}\n\n${jsonLines(goodRow(2))}`))).rows.map(
        (row) => row.line,
      ),
    ).toEqual([2, 4]);
    expect(
      (
        await readAll(fileWith('a.json', `[\n  ${jsonLines(goodRow(1))},\n\n  ${jsonLines(goodRow(2))}\n]`))
      ).rows.map((row) => row.line),
    ).toEqual([2, 4]);
    expect(
      (await readAll(fileWith('a.csv', 'prompt,answer\na,b\n"two\nlines",c\nd,e\n'))).rows.map(
        (row) => row.line,
      ),
    ).toEqual([2, 3, 5]);
  });

  test('excludes a byte order mark from the first column’s name', async () => {
    expect((await readAll(fileWith('a.csv', '\uFEFFprompt,answer\na,b\n'))).rows).toHaveLength(1);
    expect((await readAll(fileWith('a.jsonl', `\uFEFF${jsonLines(goodRow(1))}`))).rows).toHaveLength(1);
  });

  test('any text survives any format, wherever the reader’s chunks end', async () => {
    const text = fc
      .string({ unit: 'grapheme', minLength: 1, maxLength: 40 })
      .filter((s) => s.trim() !== '' && !s.includes('\u0000'));
    await fc.assert(
      fc.asyncProperty(
        fc.array(fc.record({ prompt: text, answer: text }), { minLength: 1, maxLength: 8 }),
        fc.nat(6),
        async (some, shift) => {
          // A first record of nearly one chunk moves the others across its end.
          const all = [{ prompt: 'long', answer: 'ä'.repeat((1 << 17) - 20 + shift) }, ...some];
          const expected = all.map(({ prompt, answer }) => [prompt, answer]);
          const folder = temporaryFolder();
          const sources = [
            ['a.jsonl', jsonLines(...all)],
            ['a.json', JSON.stringify(all, null, 1)],
            [
              'a.csv',
              `prompt,answer\n${all.map((r) => `${quoted(r.prompt)},${quoted(r.answer)}`).join('\n')}`,
            ],
          ];
          for (const [name, content] of sources) {
            writeFileSync(join(folder, name), content);
            expect((await readAll(join(folder, name))).rows.map((row) => [row.prompt, row.answer])).toEqual(
              expected,
            );
          }
        },
      ),
      { numRuns: 25 },
    );
  });
});

test('cancelling stops the import between two chunks', async () => {
  const path = fileWith('a.jsonl', jsonLines(...Array.from({ length: 40_000 }, (_, i) => goodRow(i))));
  const controller = new AbortController();
  const seen: number[] = [];
  const error = await rejected(
    (async () => {
      for await (const event of readDataset(path, { signal: controller.signal })) {
        if (event.state === 'reading') seen.push(event.rows.length);
        controller.abort();
      }
    })(),
  );
  expect(error.kind).toBe('cancelled');
  expect(seen).toHaveLength(1);
});

test('progress reaches the file’s size, and the hash is that of its bytes', async () => {
  const path = fileWith('a.jsonl', jsonLines(...Array.from({ length: 20_000 }, (_, i) => goodRow(i))));
  const { bytes, hash } = await readAll(path);
  expect(bytes.length).toBeGreaterThan(3);
  expect([...bytes].sort((a, b) => a - b)).toEqual(bytes);
  expect(bytes.at(-1)).toBe(1);
  const { createHash } = await import('node:crypto');
  const { readFileSync } = await import('node:fs');
  expect(hash).toBe(createHash('sha256').update(readFileSync(path)).digest('hex'));
});

describe('real files', () => {
  testWithData(
    'marked solutions: pairs and length baselines match exactly',
    'gsm8k-model-solutions-900.jsonl',
    async (path) => {
      const { doctor, rows } = await readAll(path);
      expect(doctor).toMatchObject({
        rows: 900,
        rejected: 0,
        prompts: 900,
        answers: 3600,
        correct: 1392,
        wrong: 2208,
        unmarked: 0,
        duplicates: 6,
        pairs: 1674,
        promptsWithPairs: 503,
      });
      expect([doctor.longestWins?.toFixed(3), doctor.shortestWins?.toFixed(3)]).toEqual(['0.542', '0.456']);
      expect(doctor.why).toContain('"175b_verification"');
      expect(rows).toHaveLength(3600);
    },
  );

  testWithData('worked answers', 'gsm8k-train-3000.jsonl', async (path) => {
    const { doctor, rows } = await readAll(path);
    expect(doctor).toMatchObject({ rows: 3000, prompts: 3000, correct: 3000, pairs: 0, longestWins: null });
    expect(rows.every((row) => /^-?[\d,.]+$/.test(row.reference ?? ''))).toBe(true);
  });
});

test('rows, findings and rejected lines have the shapes of the contract', async () => {
  expectTypeOf<DataRow>().toExtend<Readonly<DatasetRow>>();
  expectTypeOf<DatasetRow>().toExtend<DataRow>();
  expectTypeOf<Rejected>().toExtend<RejectedLine>();
  const { doctor } = await readAll(fileWith('a.jsonl', jsonLines(goodRow(1), goodRow(2), goodRow(1))));
  expect(DoctorShape.parse(doctor)).toEqual(doctor);
});
