import { mkdirSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import fc from 'fast-check';
import { describe, expect, test } from 'vitest';
import type { ReadOptions } from '../../../engine/data/index.ts';
import { rejected } from '../../support/errors.ts';
import { temporaryFolder } from '../../support/folder.ts';
import { fileWith, goodRow, jsonLines, readAll } from '../../support/read-dataset.ts';

const chat = {
  messages: [
    { role: 'user', content: 'q' },
    { role: 'assistant', content: 'a' },
  ],
};
describe('bad input names file and line', () => {
  const refusal = async (name: string, content: string | Uint8Array, options?: ReadOptions) => {
    const path = fileWith(name, content);
    const error = await rejected(readAll(path, options));
    return { ...error.facts, where: error.where?.replace(path, 'FILE') };
  };

  test.each([
    ['an empty file', 'a.jsonl', '', 'FILE', 'empty'],
    ['a file of blanks', 'a.jsonl', ' \n\n ', 'FILE', 'blanks'],
    ['a header without rows', 'a.csv', 'prompt,answer\n', 'FILE', 'no rows'],
    ['an empty list', 'a.json', '[]', 'FILE', 'no rows'],
    ['prose', 'a.txt', 'Once upon a time there was a file.', 'FILE:1', 'neither JSON nor a table'],
    [
      'a broken line',
      'a.jsonl',
      `${jsonLines(goodRow(1), goodRow(2))}\n{"prompt": "x", \n${jsonLines(goodRow(3))}`,
      'FILE:3',
      'Line 3 is not valid JSON',
    ],
    [
      'a broken line far behind',
      'a.jsonl',
      `${jsonLines(...Array.from({ length: 500 }, (_, i) => goodRow(i)))}\n{`,
      'FILE:501',
      'Line 501 is not valid JSON',
    ],
    [
      'a line that is not an object',
      'a.jsonl',
      `${jsonLines(goodRow(1))}\n[1, 2]`,
      'FILE:2',
      'Line 2 holds a list',
    ],
    [
      'an unknown role',
      'a.jsonl',
      jsonLines(chat, {
        messages: [
          { role: 'user', content: 'q' },
          { role: 'wizard', content: 'a' },
        ],
      }),
      'FILE:2',
      'Line 2 has in "messages" a message (number 2) of the role "wizard"',
    ],
    [
      'an empty conversation',
      'a.jsonl',
      jsonLines(chat, { messages: [] }),
      'FILE:2',
      'Line 2 has an empty conversation in "messages"',
    ],
    [
      'a conversation without an answer',
      'a.jsonl',
      jsonLines(chat, { messages: [{ role: 'user', content: 'q' }] }),
      'FILE:2',
      'Line 2 has in "messages" no message of the assistant',
    ],
    [
      'a message without text',
      'a.jsonl',
      jsonLines(chat, { messages: [{ role: 'user', content: null }] }),
      'FILE:2',
      'message (number 1) without the texts',
    ],
    [
      'a missing value',
      'a.jsonl',
      `${jsonLines(goodRow(1))}\n{"prompt": "x", "id": 7}`,
      'FILE:2',
      'Line 2 has no "answer" (it has "prompt", "id")',
    ],
    [
      'a wrong type',
      'a.jsonl',
      `${jsonLines(goodRow(1))}\n{"prompt": "x", "answer": 12}`,
      'FILE:2',
      'Line 2 has a number in "answer" where text is needed',
    ],
    [
      'a wrong mark',
      'a.csv',
      'prompt,answer,correct\na,b,true\nc,d,maybe\n',
      'FILE:3',
      'Line 3 has "maybe" in "correct" where true or false is needed',
    ],
    ['a row of another width', 'a.csv', 'prompt,answer\na,b\nc\nd,e\n', 'FILE:3', 'Line 3 is not valid CSV'],
    ['a quote that never ends', 'a.csv', 'prompt,answer\na,b\nc,"d\ne,f\n', 'FILE', 'is not valid CSV'],
    [
      'a list that was cut off',
      'a.json',
      JSON.stringify([goodRow(1), goodRow(2)], null, 1).slice(0, -20),
      'FILE',
      'cut off',
    ],
    [
      'text after the list',
      'a.json',
      `[${jsonLines(goodRow(1))}]\n garbage`,
      'FILE:2',
      'Line 2 has text after the end of the list',
    ],
    [
      'two elements without a comma',
      'a.json',
      `[${jsonLines(goodRow(1))}\n${jsonLines(goodRow(2))}]`,
      'FILE:1',
      'Line 1 is not valid JSON',
    ],
    [
      'nothing in the answer',
      'a.jsonl',
      '{"prompt": "x", "answer": "  "}',
      'FILE:1',
      'Line 1 has nothing in "answer"',
    ],
    ['zero bytes', 'a.jsonl', Buffer.from(`${jsonLines(goodRow(1))}\n\u0000\u0001`), 'FILE:2', 'zero bytes'],
    [
      'bytes that are not UTF-8',
      'a.jsonl',
      Buffer.concat([Buffer.from(`${jsonLines(goodRow(1))}\n`), Buffer.from([0x22, 0xff, 0x22])]),
      'FILE:2',
      'not UTF-8',
    ],
    [
      'a character cut in two at the end',
      'a.jsonl',
      Buffer.concat([Buffer.from(`${jsonLines(goodRow(1))}\n`), Buffer.from([0xe2, 0x82])]),
      'FILE:2',
      'not UTF-8',
    ],
    ['a packed file', 'a.jsonl', Buffer.from([0x1f, 0x8b, 8, 0]), 'FILE', 'gzip'],
    ['UTF-16', 'a.csv', Buffer.from('\uFEFFprompt,answer', 'utf16le'), 'FILE', 'UTF-16'],
  ])('%s', async (_, name, content, where, words) => {
    const facts = await refusal(name, content);
    expect(facts.kind).toBe('invalid-input');
    expect(facts.where?.startsWith(where), facts.where).toBe(true);
    expect(facts.message).toContain(words);
  });

  test('a missing column is reported with the columns found and the columns needed', async () => {
    const facts = await refusal('a.csv', 'question,grade\na,b\n');
    expect(facts.where).toBe('FILE:2');
    expect(facts.message).toContain('found "question", "grade"');
    expect(facts.hint).toContain('"answer"');
    expect(facts.hint).toContain('"chosen"');
  });

  test('rejects a very long line without reading it into memory; the other lines can be kept', async () => {
    const content = `${jsonLines(goodRow(1))}\n{"prompt": "${'x'.repeat(900_000)}"}\n${jsonLines(goodRow(2))}`;
    const facts = await refusal('a.jsonl', content, { recordCharacters: 1000 });
    expect(facts).toMatchObject({ where: 'FILE:2', message: 'Line 2 is longer than 1,000 characters.' });
    for (const [name, text] of [
      ['a.jsonl', content],
      ['a.json', `[${content.replaceAll('\n', ',\n')}]`],
    ]) {
      const kept = await readAll(fileWith(name, text), { recordCharacters: 1000, keepGoodLines: true });
      expect(kept.rows.map((row) => row.line)).toEqual([1, 3]);
      expect(kept.rejected.map((line) => line.line)).toEqual([2]);
    }
  });

  test('reports a missing file and a folder', async () => {
    const folder = temporaryFolder();
    expect((await rejected(readAll(join(folder, 'none')))).kind).toBe('not-found');
    mkdirSync(join(folder, 'sub'));
    expect(await rejected(readAll(join(folder, 'sub')))).toMatchObject({
      kind: 'invalid-input',
      message: 'The folder holds no data files.',
    });
  });

  test('can keep the good lines and reports each bad one', async () => {
    for (const name of ['a.jsonl', 'b.jsonl']) {
      const bad =
        name === 'a.jsonl' ? ['not json', '{"prompt": "x"}'] : ['{', '{"prompt": "x", "answer": 3}'];
      const {
        rows,
        rejected: left,
        doctor,
      } = await readAll(
        fileWith(name, [bad[0], jsonLines(goodRow(1)), bad[1], jsonLines(goodRow(2))].join('\n')),
        {
          keepGoodLines: true,
        },
      );
      expect(rows.map((row) => row.line)).toEqual([2, 4]);
      expect(left.map((line) => [line.line, line.text.slice(0, 12)])).toEqual([
        [1, bad[0]],
        [3, bad[1].replaceAll(' ', '').slice(0, 12)],
      ]);
      expect(doctor).toMatchObject({ rows: 2, rejected: 2 });
    }
    expect(
      (
        await readAll(fileWith('a.csv', 'prompt,answer\na,b\nc\nd,e\n'), { keepGoodLines: true })
      ).rejected.map((line) => line.line),
    ).toEqual([3]);
    expect((await rejected(readAll(fileWith('a.jsonl', '{\n{\n'), { keepGoodLines: true }))).kind).toBe(
      'invalid-input',
    );
  });

  test('any bytes give either rows or a readable error, never a crash', async () => {
    await fc.assert(
      fc.asyncProperty(
        fc.oneof(
          fc.uint8Array({ maxLength: 400 }),
          fc.string({ maxLength: 400 }).map((s) => Buffer.from(s)),
          fc.json().map((s) => Buffer.from(s)),
        ),
        fc.constantFrom('a', 'a.jsonl', 'a.json', 'a.csv'),
        fc.boolean(),
        async (bytes, name, keepGoodLines) => {
          const path = join(temporaryFolder(), name);
          writeFileSync(path, bytes);
          const outcome = await readAll(path, { keepGoodLines }).then(
            (whole) => whole.rows.length,
            (error: unknown) => error,
          );
          if (typeof outcome === 'number') expect(outcome).toBeGreaterThan(0);
          else expect(outcome).toMatchObject({ name: 'WhetstoneError', kind: 'invalid-input' });
        },
      ),
      { numRuns: 150 },
    );
  });
});
