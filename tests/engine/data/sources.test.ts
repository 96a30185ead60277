import { mkdirSync, symlinkSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { gzipSync } from 'node:zlib';
import { parquetWriteBuffer } from 'hyparquet-writer';
import { describe, expect, test } from 'vitest';
import { readColumns } from '../../../engine/data/index.ts';
import { rejected } from '../../support/errors.ts';
import { temporaryFolder } from '../../support/folder.ts';
import { fileWith, goodRow, jsonLines, readAll, readText } from '../../support/read-dataset.ts';

const some = (count: number, from = 0) => Array.from({ length: count }, (_none, i) => goodRow(from + i));
const columnData = (rows: ReturnType<typeof some>) => [
  { name: 'prompt', data: rows.map(({ prompt }) => prompt), type: 'STRING' as const },
  { name: 'answer', data: rows.map(({ answer }) => answer), type: 'STRING' as const },
  { name: 'correct', data: rows.map(({ correct }) => correct), type: 'BOOLEAN' as const },
];
const parquet = (...columns: Parameters<typeof parquetWriteBuffer>[0]['columnData']): Uint8Array =>
  new Uint8Array(parquetWriteBuffer({ columnData: columns, rowGroupSize: 7 }));

describe('gzip', () => {
  test('reads the same rows as unpacked, in several members too, and hashes the bytes on disk', async () => {
    const text = `${jsonLines(...some(2000))}\n`;
    const plain = await readText('a.jsonl', text);
    const packed = await readText('a.jsonl.gz', gzipSync(text));
    expect(packed.rows).toEqual(plain.rows);
    expect(packed.doctor.format).toBe('JSON lines, prompts and answers');
    expect(packed.hash).not.toBe(plain.hash);
    expect(packed.bytes.at(-1)).toBe(1);
    const half = text.length / 2;
    const members = Buffer.concat([gzipSync(text.slice(0, half)), gzipSync(text.slice(half))]);
    expect((await readText('a.jsonl.gz', members)).rows).toEqual(plain.rows);
  });

  test('a packed CSV is known by its name, and a packed file by its bytes whatever its name', async () => {
    expect((await readText('a.csv.gz', gzipSync('prompt,answer\np,a\n'))).rows).toHaveLength(1);
    expect((await readText('a.jsonl', gzipSync(jsonLines(goodRow(1))))).rows).toHaveLength(1);
  });

  test('one that is cut off or damaged is refused', async () => {
    const packed = gzipSync(jsonLines(...some(500)));
    const cut = await rejected(readText('a.jsonl.gz', packed.subarray(0, -20)));
    expect(cut.facts).toMatchObject({
      kind: 'invalid-input',
      message: 'The gzip file is damaged or cut off.',
    });
    const twice = await rejected(readText('a.jsonl.gz', gzipSync(packed)));
    expect(twice.message).toContain('gzip inside gzip');
  });
});

describe('Parquet', () => {
  test('reads row groups, with rows as lines', async () => {
    const whole = await readText('a.parquet', parquet(...columnData(some(20))));
    expect(
      whole.rows.map(({ line, prompt, answer, correct }) => ({ line, prompt, answer, correct })),
    ).toEqual(some(20).map((row, i) => ({ line: i + 1, ...row })));
    expect(whole.doctor.format).toBe('Parquet, prompts and answers');
    expect(whole.bytes.at(-1)).toBe(1);
    expect(whole.hash).toMatch(/^[0-9a-f]{64}$/);
  });

  test('dates, large integers, nested lists and binary columns become plain values', async () => {
    const whole = await readText(
      'a.parquet',
      parquet(
        { name: 'prompt', data: ['p'], type: 'STRING' },
        { name: 'answer', data: ['a'], type: 'STRING' },
        { name: 'at', data: [new Date(0)], type: 'TIMESTAMP' },
        { name: 'small', data: [7n], type: 'INT64' },
        { name: 'large', data: [2n ** 60n], type: 'INT64' },
        { name: 'nan', data: [Number.NaN], type: 'DOUBLE' },
        { name: 'nested', data: [{ list: [1, { deep: 'ü' }] }], type: 'JSON' },
        { name: 'picture', data: [Uint8Array.of(0x89, 0x50, 0, 255)], type: 'BYTE_ARRAY' },
      ),
    );
    expect(whole.rows[0].extra).toEqual({
      at: '1970-01-01T00:00:00.000Z',
      small: 7,
      large: '1152921504606846976',
      nan: 'NaN',
      nested: { list: [1, { deep: 'ü' }] },
      picture: '(binary, 4 bytes, not imported)',
    });
  });

  test('one that is cut off is refused, and an Arrow file names the way to convert it', async () => {
    const bytes = parquet(...columnData(some(20)));
    const cut = await rejected(readText('a.parquet', bytes.subarray(0, -9)));
    expect(cut.facts).toMatchObject({ kind: 'invalid-input', where: expect.stringContaining('a.parquet') });
    const arrow = await rejected(readText('a.arrow', Buffer.from('ARROW1\0\0')));
    expect(arrow.facts.hint).toContain('to_parquet');
  });
});

describe('a folder of the Hugging Face Hub', () => {
  const folderWith = (files: Readonly<Record<string, string | Uint8Array>>): string => {
    const folder = temporaryFolder();
    for (const [name, content] of Object.entries(files)) {
      mkdirSync(join(folder, name, '..'), { recursive: true });
      writeFileSync(join(folder, name), content);
    }
    return folder;
  };

  test('all shards of all splits are one dataset, with the split as a column', async () => {
    const folder = folderWith({
      'README.md': '# data',
      'dataset_infos.json': '{"default": {}}',
      'data/train-00000-of-00002.parquet': parquet(...columnData(some(9))),
      'data/train-00001-of-00002.parquet': parquet(...columnData(some(9, 9))),
      'data/test-00000-of-00001.parquet': parquet(...columnData(some(2, 18))),
    });
    const whole = await readAll(folder);
    expect(whole.doctor.format).toBe('folder of 3 files (Parquet), prompts and answers');
    const splits = whole.rows.map(({ extra }) => extra?.split);
    expect(splits).toEqual([...Array<string>(2).fill('test'), ...Array<string>(18).fill('train')]);
    expect(whole.rows.map(({ line }) => line)).toEqual(Array.from({ length: 20 }, (_none, i) => i + 1));
    expect(whole.bytes.at(-1)).toBe(1);
  });

  test('files may be links, as in the snapshots of the Hub’s cache; a broken link is left out', async () => {
    const blobs = folderWith({ '0123': jsonLines(goodRow(1)) });
    const folder = temporaryFolder();
    symlinkSync(join(blobs, '0123'), join(folder, 'train.jsonl'));
    symlinkSync(join(blobs, '4567'), join(folder, 'test.jsonl'));
    expect((await readAll(folder)).rows.map(({ extra }) => extra?.split)).toEqual(['train']);
  });

  test('packed JSON lines in files or folders named by the split', async () => {
    const folder = folderWith({
      'train.jsonl.gz': gzipSync(jsonLines(goodRow(1))),
      'dev.jsonl': jsonLines({ ...goodRow(2), split: 'own' }),
      'test/part.jsonl': jsonLines(goodRow(3)),
    });
    const { rows } = await readAll(folder);
    expect(rows.map(({ prompt, extra }) => [prompt, extra?.split])).toEqual([
      ['What is 2?', 'own'],
      ['What is 3?', 'test'],
      ['What is 1?', 'train'],
    ]);
  });

  test.each([
    ['nothing', { 'a.txt': 'x' }, 'holds no data files'],
    ['Arrow files', { 'data-00000-of-00001.arrow': 'x', 'state.json': '{}' }, 'Arrow files'],
    [
      'two datasets',
      { 'main/train.jsonl': '{}', 'socratic/train.jsonl': '{}' },
      '2 datasets: main, socratic',
    ],
    ['half of its shards', { 'data/train-00001-of-00002.parquet': 'PAR1' }, 'has 1 of 2 files of a series'],
  ])('with %s is refused', async (_what, files, words) => {
    const error = await rejected(readAll(folderWith(files)));
    expect(error.kind).toBe('invalid-input');
    expect(error.message).toContain(words);
  });

  test('a broken line names its file and its line there', async () => {
    const folder = folderWith({
      'test.jsonl': jsonLines(goodRow(1)),
      'train.jsonl': `${jsonLines(goodRow(2))}\n{`,
    });
    expect((await rejected(readAll(folder))).where).toBe(`${join(folder, 'train.jsonl')}:2`);
  });
});

describe('columns mapped by hand', () => {
  const records = jsonLines(
    { frage: 'q', antwort: 'a', gut: 'yes', wer: 'm', note: 1, besser: 'x', schlechter: 'y' },
    { frage: 'q', antwort: 'b', gut: 'no', wer: 'm', note: 2, besser: 'x', schlechter: '' },
  );

  test('answers with marks and a source; other columns are kept', async () => {
    const path = fileWith('a.jsonl', records);
    const mapping = { prompt: 'frage', answer: 'antwort', correct: 'gut', source: 'wer' };
    const { rows, doctor } = await readAll(path, { mapping });
    expect(rows.map(({ prompt, answer, correct, source }) => [prompt, answer, correct, source])).toEqual([
      ['q', 'a', true, 'm'],
      ['q', 'b', false, 'm'],
    ]);
    expect(rows[0].extra).toMatchObject({ note: 1, besser: 'x' });
    expect(doctor.why).toContain('"frage" as prompt');
    expect(await readColumns(path)).toContainEqual({ name: 'note', example: '1' });
  });

  test('pairs: one without an answer is kept aside, though lines must be good', async () => {
    const mapping = { prompt: 'frage', chosen: 'besser', rejected: 'schlechter' };
    const { rows, rejected: aside } = await readAll(fileWith('a.jsonl', records), { mapping });
    expect(rows.map(({ answer, correct }) => [answer, correct])).toEqual([
      ['x', true],
      ['y', false],
    ]);
    expect(aside).toMatchObject([{ line: 2, reason: 'has no answer in "schlechter"' }]);
  });

  test.each([
    [{ prompt: 'frage', answer: 'nirgends' }, 'There is no column "nirgends" for answer.'],
    [{ answer: 'antwort' }, 'No column is chosen for the prompt.'],
    [{ prompt: 'frage', chosen: 'besser' }, 'A pair needs a column for chosen and one for rejected.'],
    [
      { prompt: 'frage' },
      'No column is chosen for the answer, for chosen and rejected, or for the reference.',
    ],
  ])('refuses %j', async (mapping, message) => {
    const error = await rejected(readAll(fileWith('a.jsonl', records), { mapping }));
    expect(error.message).toBe(message);
    expect(error.hint).toContain('"frage"');
  });
});
