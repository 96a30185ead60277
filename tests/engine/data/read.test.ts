import { mkdirSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import fc from 'fast-check';
import { describe, expect, expectTypeOf, test } from 'vitest';
import {
  promptIdOf,
  readDataset,
  type DataRow,
  type Findings,
  type ReadOptions,
  type RejectedLine,
} from '../../../engine/data/index.ts';
import { Doctor as DoctorShape, type DatasetRow, type Rejected } from '../../../preload/contract/datasets.ts';
import { testWithData } from '../../support/data.ts';
import { rejected } from '../../support/errors.ts';
import { temporaryFolder } from '../../support/folder.ts';

interface Whole {
  rows: DataRow[];
  rejected: RejectedLine[];
  doctor: Findings;
  hash: string;
  bytes: number[];
}

const readAll = async (path: string, options?: ReadOptions): Promise<Whole> => {
  const whole: Omit<Whole, 'doctor' | 'hash'> = { rows: [], rejected: [], bytes: [] };
  for await (const event of readDataset(path, options)) {
    if (event.state === 'done') return { ...whole, doctor: event.doctor, hash: event.hash };
    whole.rows.push(...event.rows);
    whole.rejected.push(...event.rejected);
    whole.bytes.push(event.bytes / event.totalBytes);
  }
  throw new Error('the reader ended without saying what it found');
};

const file = (name: string, content: string | Uint8Array): string => {
  const path = join(temporaryFolder(), name);
  writeFileSync(path, content);
  return path;
};
const lines = (...records: unknown[]): string => records.map((record) => JSON.stringify(record)).join('\n');
const good = (i: number) => ({ prompt: `What is ${i}?`, answer: `It is ${i}.`, correct: i % 2 === 0 });

const chat = {
  messages: [
    { role: 'user', content: 'q' },
    { role: 'assistant', content: 'a' },
  ],
};

describe('formats', () => {
  const records = Array.from({ length: 120 }, (_, i) => good(i));
  const quoted = (text: string) => `"${text.replaceAll('"', '""')}"`;
  const table = (separator: string) =>
    ['prompt', 'answer', 'correct'].join(separator) +
    '\n' +
    records.map((r) => [quoted(r.prompt), quoted(r.answer), r.correct].join(separator)).join('\n');
  test.each([
    ['JSON lines', 'a.jsonl', lines(...records)],
    ['JSON lines', 'no-name', `\n\n${lines(...records)}\n\n`],
    ['JSON lines', 'windows.ndjson', lines(...records).replaceAll('\n', '\r\n')],
    ['JSON array', 'a.json', JSON.stringify(records)],
    ['JSON array', 'pretty.json', JSON.stringify(records, null, 2)],
    ['CSV', 'a.csv', table(',')],
    ['CSV', 'a.tsv', table('\t')],
    ['CSV', 'no-name-either', table(';')],
  ])('%s (%s) gives the same rows', async (format, name, text) => {
    const { rows, doctor } = await readAll(file(name, text));
    expect(rows.map(({ prompt, answer, correct }) => ({ prompt, answer, correct }))).toEqual(records);
    expect(rows.map((row) => row.row)).toEqual(records.map((_, i) => i));
    expect(doctor.format).toContain(format);
  });

  test('lines are counted as an editor counts them', async () => {
    expect(
      (await readAll(file('a.jsonl', `\n${lines(good(1))}\n\n${lines(good(2))}`))).rows.map(
        (row) => row.line,
      ),
    ).toEqual([2, 4]);
    expect(
      (await readAll(file('a.json', `[\n  ${lines(good(1))},\n\n  ${lines(good(2))}\n]`))).rows.map(
        (row) => row.line,
      ),
    ).toEqual([2, 4]);
    expect(
      (await readAll(file('a.csv', 'prompt,answer\na,b\n"two\nlines",c\nd,e\n'))).rows.map((row) => row.line),
    ).toEqual([2, 3, 5]);
  });

  test('a byte order mark is no part of the first column', async () => {
    expect((await readAll(file('a.csv', '\uFEFFprompt,answer\na,b\n'))).rows).toHaveLength(1);
    expect((await readAll(file('a.jsonl', `\uFEFF${lines(good(1))}`))).rows).toHaveLength(1);
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
            ['a.jsonl', lines(...all)],
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

describe('bad input names file and line', () => {
  const refusal = async (name: string, content: string | Uint8Array, options?: ReadOptions) => {
    const path = file(name, content);
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
      `${lines(good(1), good(2))}\n{"prompt": "x", \n${lines(good(3))}`,
      'FILE:3',
      'Line 3 is not valid JSON',
    ],
    [
      'a broken line far behind',
      'a.jsonl',
      `${lines(...Array.from({ length: 500 }, (_, i) => good(i)))}\n{`,
      'FILE:501',
      'Line 501 is not valid JSON',
    ],
    ['a line that is no object', 'a.jsonl', `${lines(good(1))}\n[1, 2]`, 'FILE:2', 'Line 2 holds a list'],
    [
      'an unknown role',
      'a.jsonl',
      lines(chat, {
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
      lines(chat, { messages: [] }),
      'FILE:2',
      'Line 2 has an empty conversation in "messages"',
    ],
    [
      'a conversation without an answer',
      'a.jsonl',
      lines(chat, { messages: [{ role: 'user', content: 'q' }] }),
      'FILE:2',
      'Line 2 has in "messages" no message of the assistant',
    ],
    [
      'a message without text',
      'a.jsonl',
      lines(chat, { messages: [{ role: 'user', content: null }] }),
      'FILE:2',
      'message (number 1) without the texts',
    ],
    [
      'a missing value',
      'a.jsonl',
      `${lines(good(1))}\n{"prompt": "x", "id": 7}`,
      'FILE:2',
      'Line 2 has no "answer" (it has "prompt", "id")',
    ],
    [
      'a wrong type',
      'a.jsonl',
      `${lines(good(1))}\n{"prompt": "x", "answer": 12}`,
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
      JSON.stringify([good(1), good(2)], null, 1).slice(0, -20),
      'FILE',
      'cut off',
    ],
    [
      'text after the list',
      'a.json',
      `[${lines(good(1))}]\n garbage`,
      'FILE:2',
      'Line 2 has text after the end of the list',
    ],
    [
      'two elements without a comma',
      'a.json',
      `[${lines(good(1))}\n${lines(good(2))}]`,
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
    ['zero bytes', 'a.jsonl', Buffer.from(`${lines(good(1))}\n\u0000\u0001`), 'FILE:2', 'zero bytes'],
    [
      'bytes that are no UTF-8',
      'a.jsonl',
      Buffer.concat([Buffer.from(`${lines(good(1))}\n`), Buffer.from([0x22, 0xff, 0x22])]),
      'FILE:2',
      'not UTF-8',
    ],
    [
      'a character cut in two at the end',
      'a.jsonl',
      Buffer.concat([Buffer.from(`${lines(good(1))}\n`), Buffer.from([0xe2, 0x82])]),
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

  test('a missing column names what was found and what is needed', async () => {
    const facts = await refusal('a.csv', 'question,grade\na,b\n');
    expect(facts.where).toBe('FILE:2');
    expect(facts.message).toContain('found "question", "grade"');
    expect(facts.hint).toContain('"answer"');
    expect(facts.hint).toContain('"chosen"');
  });

  test('a very long line is refused without being read into memory, and the others can be kept', async () => {
    const content = `${lines(good(1))}\n{"prompt": "${'x'.repeat(900_000)}"}\n${lines(good(2))}`;
    const facts = await refusal('a.jsonl', content, { recordCharacters: 1000 });
    expect(facts).toMatchObject({ where: 'FILE:2', message: 'Line 2 is longer than 1,000 characters.' });
    for (const [name, text] of [
      ['a.jsonl', content],
      ['a.json', `[${content.replaceAll('\n', ',\n')}]`],
    ]) {
      const kept = await readAll(file(name, text), { recordCharacters: 1000, keepGoodLines: true });
      expect(kept.rows.map((row) => row.line)).toEqual([1, 3]);
      expect(kept.rejected.map((line) => line.line)).toEqual([2]);
    }
  });

  test('there is no such file, or it is a folder', async () => {
    const folder = temporaryFolder();
    expect((await rejected(readAll(join(folder, 'none')))).kind).toBe('not-found');
    mkdirSync(join(folder, 'sub'));
    expect(await rejected(readAll(join(folder, 'sub')))).toMatchObject({
      kind: 'invalid-input',
      message: 'This is not a file.',
    });
  });

  test('good lines can be kept; each bad one is told', async () => {
    for (const name of ['a.jsonl', 'b.jsonl']) {
      const bad =
        name === 'a.jsonl' ? ['not json', '{"prompt": "x"}'] : ['{', '{"prompt": "x", "answer": 3}'];
      const {
        rows,
        rejected: left,
        doctor,
      } = await readAll(file(name, [bad[0], lines(good(1)), bad[1], lines(good(2))].join('\n')), {
        keepGoodLines: true,
      });
      expect(rows.map((row) => row.line)).toEqual([2, 4]);
      expect(left.map((line) => [line.line, line.text.slice(0, 12)])).toEqual([
        [1, bad[0]],
        [3, bad[1].replaceAll(' ', '').slice(0, 12)],
      ]);
      expect(doctor).toMatchObject({ rows: 2, rejected: 2 });
    }
    expect(
      (await readAll(file('a.csv', 'prompt,answer\na,b\nc\nd,e\n'), { keepGoodLines: true })).rejected.map(
        (line) => line.line,
      ),
    ).toEqual([3]);
    expect((await rejected(readAll(file('a.jsonl', '{\n{\n'), { keepGoodLines: true }))).kind).toBe(
      'invalid-input',
    );
  });

  test('any bytes either give rows or an error for people, never a crash', async () => {
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

test('cancelling ends the import between two chunks', async () => {
  const path = file('a.jsonl', lines(...Array.from({ length: 40_000 }, (_, i) => good(i))));
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

test('progress grows to the whole file, and the hash is that of its bytes', async () => {
  const path = file('a.jsonl', lines(...Array.from({ length: 20_000 }, (_, i) => good(i))));
  const { bytes, hash } = await readAll(path);
  expect(bytes.length).toBeGreaterThan(3);
  expect([...bytes].sort((a, b) => a - b)).toEqual(bytes);
  expect(bytes.at(-1)).toBe(1);
  const { createHash } = await import('node:crypto');
  const { readFileSync } = await import('node:fs');
  expect(hash).toBe(createHash('sha256').update(readFileSync(path)).digest('hex'));
});

describe('shapes', () => {
  const read = async (...records: unknown[]) => (await readAll(file('a.jsonl', lines(...records)))).rows;
  const pair = (rows: DataRow[]) =>
    rows.map(({ prompt, answer, correct, source }) => [prompt, answer, correct, source]);

  test('explicit preferences', async () => {
    expect(pair(await read({ prompt: 'The sky is', chosen: ' blue.', rejected: ' green.' }))).toEqual([
      ['The sky is', ' blue.', true, 'chosen'],
      ['The sky is', ' green.', false, 'rejected'],
    ]);
  });

  test('implicit preferences: the prompt is the shared beginning, cut at a whole word', async () => {
    expect(pair(await read({ chosen: 'The sky is blue.', rejected: 'The sky is black.' }))).toEqual([
      ['The sky is', 'blue.', true, 'chosen'],
      ['The sky is', 'black.', false, 'rejected'],
    ]);
  });

  test(
    'implicit preferences of a dialogue: the prompt ends with the last shared assistant mark, though the ' +
      'answers begin alike',
    async () => {
      const dialogue = '\n\nHuman: Hi\n\nAssistant: Hello.\n\nHuman: How are you?\n\nAssistant:';
      const rows = await read({
        chosen: `${dialogue} I am well, thank you.`,
        rejected: `${dialogue} I am a program.`,
      });
      expect(rows.map((row) => row.answer)).toEqual(['I am well, thank you.', 'I am a program.']);
      expect(rows[0].prompt.endsWith('How are you?\n\nAssistant:')).toBe(true);
    },
  );

  test('conversations, with the prompt in a column, as text, or shared', async () => {
    const user = { role: 'user', content: 'What color is the sky?' };
    const [blue, green] = ['It is blue.', 'It is green.'].map((content) => ({ role: 'assistant', content }));
    const expected = [
      [user.content, blue.content, true, 'chosen'],
      [user.content, green.content, false, 'rejected'],
    ];
    expect(pair(await read({ prompt: [user], chosen: [blue], rejected: [green] }))).toEqual(expected);
    expect(pair(await read({ prompt: user.content, chosen: [user, blue], rejected: [user, green] }))).toEqual(
      expected,
    );
    expect(pair(await read({ chosen: [user, blue], rejected: [user, green] }))).toEqual(expected);
    const path = file('a.jsonl', lines({ chosen: [user, blue], rejected: [user] }));
    expect((await rejected(readAll(path))).message).toContain('does not end with the assistant');
  });

  test('answers under other names, with a mark, a reference and a source', async () => {
    const [row] = await read({
      instruction: 'Add 1 and 2',
      output: '3',
      is_correct: 1,
      target: 3,
      model: 'tiny',
    });
    expect(row).toMatchObject({
      prompt: 'Add 1 and 2',
      answer: '3',
      correct: true,
      reference: '3',
      source: 'tiny',
    });
  });

  test('GSM8K', async () => {
    const [row] = await read({ question: 'Q', answer: 'work\n#### 42' });
    expect(row).toMatchObject({ prompt: 'Q', answer: 'work\n#### 42', correct: true, reference: '42' });
  });

  test('marked solutions of several models', async () => {
    const rows = await read({
      question: 'Q',
      ground_truth: 'G',
      small: { is_correct: false, solution: 'x' },
      large: { is_correct: true, solution: 'y' },
    });
    expect(pair(rows)).toEqual([
      ['Q', 'x', false, 'small'],
      ['Q', 'y', true, 'large'],
    ]);
    expect(rows.map((row) => [row.line, row.row, row.reference])).toEqual([
      [1, 0, 'G'],
      [1, 1, 'G'],
    ]);
  });

  test('a prompt keeps its id whatever its line ends, its blanks at the ends, and its Unicode form', () => {
    expect(promptIdOf('  Caf\u00e9?\r\nyes\n')).toBe(promptIdOf('Cafe\u0301?\nyes'));
    expect(promptIdOf('a b')).not.toBe(promptIdOf('a  b'));
  });
});

describe('real files', () => {
  testWithData(
    'marked solutions: pairs and length baselines come out exactly',
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
  const { doctor } = await readAll(file('a.jsonl', lines(good(1), good(2), good(1))));
  expect(DoctorShape.parse(doctor)).toEqual(doctor);
});

describe('references', () => {
  const imported = async (...records: object[]) => readAll(file('a.jsonl', lines(...records)));

  test('a prompt and a reference make a dataset: the expected answer is a right one', async () => {
    const { rows, doctor } = await imported(
      { question: 'Two and two?', reference: '4' },
      { question: 'Two and one?', reference: 3 },
    );
    expect(
      rows.map(({ prompt, answer, reference, correct }) => ({ prompt, answer, reference, correct })),
    ).toEqual([
      { prompt: 'Two and two?', answer: '4', reference: '4', correct: true },
      { prompt: 'Two and one?', answer: '3', reference: '3', correct: true },
    ]);
    expect(doctor).toMatchObject({
      references: 2,
      verifier: 'match/numeric',
      why: expect.stringContaining('"reference"'),
    });
  });

  test('what an answer is tested with is no answer', async () => {
    const { rows, doctor } = await imported({ prompt: 'Write add.', tests: 'assert(add(1, 2) === 3)' });
    expect(rows[0]).toMatchObject({ answer: '', reference: 'assert(add(1, 2) === 3)', correct: null });
    expect(doctor.verifier).toBe('match/unit-test');
  });

  test('an empty reference is a broken line', async () => {
    expect(
      await rejected(imported({ prompt: 'a', reference: '1' }, { prompt: 'b', reference: ' ' })),
    ).toMatchObject({
      kind: 'invalid-input',
      message: expect.stringContaining('"reference"'),
      where: expect.stringMatching(/a\.jsonl:2$/),
    });
  });

  test.each<[string, readonly (string | object | null)[]]>([
    ['match/numeric', ['3', '#### 1,000', '-2.5', 'A: 18']],
    ['match/choice', ['A', '(b)', 'C.']],
    ['match/json-schema', [{ type: 'object' }, '{"enum":[1,2]}']],
    ['match/unit-test', ['assert.equal(f(1), 2);', 'assert(g())']],
    ['match/normalised', ['Paris', 'the Nile', '7']],
  ])('suggests %s for %j', async (verifier, references) => {
    const { doctor } = await imported(
      ...references.map((reference, i) => ({ prompt: `q${i}`, answer: 'x', reference })),
    );
    expect(doctor).toMatchObject({ references: references.length, verifier });
  });

  test('options in the words of the prompt are a choice, and without references nothing is suggested', async () => {
    const prompt = 'Which?\nA. red\nB. green';
    expect(
      (await imported({ prompt, reference: 'red' }, { prompt: `${prompt}!`, reference: 'B' })).doctor
        .verifier,
    ).toBe('match/choice');
    expect((await imported(good(1))).doctor).toMatchObject({ references: 0, verifier: null });
  });
});
