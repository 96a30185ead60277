import { expect, describe, test } from 'vitest';
import { readDataset, type Findings } from '../../../engine/data/index.ts';
import { testWithData } from '../../support/data.ts';
import { rejected } from '../../support/errors.ts';
import { jsonLines, readText, useOf } from '../../support/read-dataset.ts';

describe('layouts of text', () => {
  test('CSV: quotes, a byte order mark, semicolons, Windows line ends, and separators inside quoted names', async () => {
    const text = '\uFEFF"prompt";"answer";"note, or so"\r\n"a ""b"";c";"two\r\nlines";7\r\nd;e;\r\n';
    const whole = await readText('a.csv', text);
    expect(whole.rows.map(({ prompt, answer, extra }) => [prompt, answer, extra])).toEqual([
      ['a "b";c', 'two\r\nlines', { 'note, or so': '7' }],
      ['d', 'e', undefined],
    ]);
  });

  test('CSV: a duplicate column name and a missing one keep both values', async () => {
    const whole = await readText('a.csv', ',prompt,answer,label,label\n0,p,a,true,good\n1,q,b,false,bad\n');
    expect(whole.rows.map(({ correct, extra }) => [correct, extra])).toEqual([
      [true, { '(column 1)': '0', 'label (column 5)': 'good' }],
      [false, { '(column 1)': '1', 'label (column 5)': 'bad' }],
    ]);
    expect(useOf(whole, 'label (column 5)')).toMatchObject({ kept: 2 });
  });

  const rows = [
    { prompt: 'p', answer: 'a' },
    { prompt: 'q', answer: 'b' },
  ];
  test.each([
    ['a list in an object', 'a.json', JSON.stringify({ data: rows })],
    ['the same, spread', 'a.json', JSON.stringify({ rows }, null, 2)],
    ['a list under a name of lines', 'a.jsonl', JSON.stringify(rows)],
  ])('reads %s', async (_, name, text) => {
    expect((await readText(name, text)).rows.map(({ prompt, answer }) => ({ prompt, answer }))).toEqual(rows);
  });

  test('one object over several lines is one record', async () => {
    expect((await readText('a.json', JSON.stringify({ ...rows[0], id: 1 }, null, 2))).rows).toMatchObject([
      { line: 1, prompt: 'p', answer: 'a', extra: { id: 1 } },
    ]);
  });

  test.each([
    [
      'objects over several lines',
      'a.json',
      rows.map((row) => JSON.stringify(row, null, 2)).join('\n'),
      'several objects over several lines',
    ],
    [
      'the same under a name of lines',
      'a.jsonl',
      JSON.stringify(rows[0], null, 2),
      'Write one object a line',
    ],
    [
      'a list next to other fields',
      'a.json',
      JSON.stringify({ version: 1, entries: rows }),
      'The list in "entries" may be the rows',
    ],
    [
      'something after the list',
      'a.json',
      `{"data": ${JSON.stringify(rows)}, "version": 1}`,
      'Save the list of rows by itself',
    ],
    ['an object that is cut off', 'a.json', '{\n"prompt": "p",\n', 'Write one object a line'],
    ['NaN', 'a.jsonl', '{"prompt": "p", "answer": "a", "score": NaN}', 'JSON has no NaN: write null'],
    ['Python’s words', 'a.jsonl', '{"prompt": "p", "answer": "a", "ok": True}', 'JSON has no True'],
    [
      'one endless line',
      'a.json',
      `{"meta": "${'x'.repeat(5_000_000)}", "prompt": "p"}`,
      'save its list of rows by itself',
    ],
    ['UTF-16', 'a.jsonl', Buffer.from(`\uFEFF${jsonLines(...rows)}`, 'utf16le'), 'Save it as UTF-8'],
    ['UTF-16 without a mark', 'a.jsonl', Buffer.from(jsonLines(...rows), 'utf16le'), 'Save it as UTF-8'],
    ['nothing', 'a.csv', '', 'at least one row'],
  ])('%s: the hint gives the remedy', async (_, name, content, words) => {
    const { facts } = await rejected(readText(name, content));
    expect(facts.kind).toBe('invalid-input');
    expect(facts.hint).toContain(words);
  });

  test('reports a line of another layout with both layouts; the good lines can be kept', async () => {
    const text = jsonLines(
      { prompt: 'p', answer: 'a' },
      { prompt: 'p', answer: 'b' },
      { prompt: 'p', chosen: 'c', rejected: 'd' },
    );
    expect((await rejected(readText('a.jsonl', text))).message).toContain(
      'it is laid out as preference pairs, the lines before it as prompts and answers',
    );
    expect((await readText('a.jsonl', text, true)).rejected).toMatchObject([{ line: 3 }]);
  });

  test('reports the first reason when no line can be read', async () => {
    const { message } = await rejected(
      readText('a.jsonl', jsonLines({ prompt: 'p', answer: 3 }, { prompt: 'p', answer: 4 }), true),
    );
    expect(message).toBe(
      'None of the 2 lines can be read. The first: line 1 has a number in "answer" where text is needed.',
    );
  });

  testWithData(
    'a file of human preferences: four lines have an empty answer, all others are good',
    'hh-harmless-1156.jsonl',
    async (path) => {
      let doctor: Findings | null = null;
      for await (const event of readDataset(path, { keepGoodLines: true }))
        if (event.state === 'done') doctor = event.doctor;
      expect(doctor).toMatchObject({
        rows: 1152,
        rejected: 4,
        columns: [
          { name: 'chosen', used: 1152 },
          { name: 'rejected', used: 1152 },
        ],
      });
    },
  );
});
