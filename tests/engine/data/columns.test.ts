import fc from 'fast-check';
import { describe, expect, test } from 'vitest';
import { shapes } from '../../../engine/data/shapes/index.ts';
import { readRecords, readText, useOf, type Whole } from '../../support/read-dataset.ts';

const say = (role: string, content: string) => ({ role, content });
/** One record per layout. */
const samples: { readonly [title: string]: Readonly<Record<string, unknown>> } = {
  'rows of Whetstone': {
    row: 3,
    prompt: 'p-text',
    answer: 'a-text',
    reference: 'ref-text',
    correct: true,
    source: 's-text',
    extra: { depth: 'd-text' },
  },
  'labels of Whetstone': {
    pairId: '1-2',
    promptId: 'id-text',
    prompt: 'p-text',
    a: 'a-text',
    b: 'b-text',
    verdict: 'b',
    correctA: null,
    correctB: null,
  },
  'marked solutions of several models': {
    question: 'q-text',
    ground_truth: 'g-text',
    small: { is_correct: true, solution: 's-text', tokens: 17 },
  },
  'pairwise comparisons (Label Studio)': {
    data: { prompt: 'p-text', answer1: 'l-text', answer2: 'r-text', topic: 't-text' },
    annotations: [
      {
        result: [{ type: 'pairwise', to_name: 'answer1,answer2', value: { selected: 'left' }, id: 'i-text' }],
      },
    ],
  },
  'ranked answers (Argilla)': {
    fields: { prompt: 'p-text', 'response-1': 'x-text', 'response-2': 'y-text' },
    responses: { preference: [{ value: ['response-2', 'response-1'], user_id: 'u-text' }] },
  },
  'preference pairs (ShareGPT)': {
    conversations: [{ from: 'human', value: 'h-text' }],
    system: 'sys-text',
    chosen: { from: 'gpt', value: 'c-text' },
    rejected: { from: 'gpt', value: 'r-text' },
  },
  'conversational preference pairs': {
    chosen: [say('user', 'u-text'), { ...say('assistant', 'c-text'), weight: 0.25 }],
    rejected: [say('user', 'u-text'), say('assistant', 'r-text')],
  },
  'preference pairs': { prompt: 'p-text', chosen: 'c-text', rejected: 'r-text', reference: 'ref-text' },
  'preference pairs with the prompt inside': { chosen: 'The sky is blue.', rejected: 'The sky is black.' },
  conversations: {
    messages: [{ ...say('user', 'u-text'), name: 'n-text' }, say('assistant', 'a-text')],
    label: true,
  },
  'conversations (ShareGPT)': {
    conversations: [
      { from: 'human', value: 'h-text' },
      { from: 'gpt', value: 'g-text', weight: 'w-text' },
    ],
  },
  'conversational prompts and answers': {
    prompt: [say('user', 'u-text')],
    completion: [say('assistant', 'a-text')],
    label: true,
  },
  'answers in marked steps': {
    prompt: 'p-text',
    completions: ['one-text', 'two-text'],
    labels: [true, false],
  },
  'solutions with the first wrong step (ProcessBench)': {
    problem: 'p-text',
    steps: ['one-text', 'two-text'],
    label: 1,
    generator: 'm-text',
  },
  'worked right answers (GSM8K)': { question: 'q-text', answer: 'a-text\n#### 42' },
  'prompts and references': { prompt: 'p-text', target: 't-text' },
  'prompts and answers': {
    instruction: 'i-text',
    input: 'in-text',
    output: 'o-text',
    label: 1,
    model: 'm-text',
    target: 't-text',
  },
};

/** Texts and numbers anywhere inside a value. */
const leaves = (value: unknown): string[] => {
  if (typeof value === 'string' || typeof value === 'number') return value === '' ? [] : [String(value)];
  if (typeof value !== 'object' || value === null) return [];
  return Object.entries(value).flatMap(([key, inside]) =>
    key === 'role' || key === 'from' ? [] : leaves(inside),
  );
};
/**
 * Texts and numbers of a record that appear nowhere in its rows, apart from marks, which appear as right or
 * wrong.
 */
const lost = (record: Readonly<Record<string, unknown>>, { rows, doctor }: Whole): string[] => {
  const there = [...leaves(rows), ...rows.map(({ prompt, answer }) => `${prompt} ${answer}`)].join('\n');
  const marks = doctor.columns
    .filter((column) => column.as === 'right or wrong')
    .map((column) => column.name);
  return Object.entries(record)
    .filter(([name]) => !marks.includes(name))
    .flatMap(([, value]) => leaves(value))
    .filter((leaf) => !there.includes(leaf));
};

describe('importing loses nothing of a record', () => {
  const unknown = {
    score: 0.75,
    tags: ['x-tag'],
    meta: { deep: { deeper: 'd-text' } },
    empty: '',
    nothing: null,
    flag: false,
    __proto__x: 1,
    id: 'id-text',
    'a column, with "quotes"': 'v-text',
  };

  test('every layout has a sample', () =>
    expect(Object.keys(samples)).toEqual(shapes.map((shape) => shape.title)));

  test.each(Object.entries(samples))('%s, with unknown columns', async (title, sample) => {
    const record = { ...sample, ...unknown };
    const whole = await readRecords(record);
    expect(whole.doctor.format).toBe(`JSON lines, ${title}`);
    expect(lost(record, whole)).toEqual([]);
    for (const row of whole.rows) {
      expect(row.extra).toMatchObject({
        score: 0.75,
        tags: ['x-tag'],
        meta: unknown.meta,
        flag: false,
        id: 'id-text',
      });
      expect(Object.keys(row.extra ?? {})).not.toContain('empty');
    }
    expect(useOf(whole, 'score')).toEqual({ name: 'score', as: null, used: 0, kept: 1, empty: 0 });
    expect(useOf(whole, 'nothing')).toEqual({ name: 'nothing', as: null, used: 0, kept: 0, empty: 1 });
    for (const name of Object.keys(sample))
      expect(useOf(whole, name), name).toMatchObject({ used: 1, as: expect.any(String) });
  });

  test(
    'any combination of columns under any of their names: each column is used, kept or empty, or the ' +
      'line is rejected',
    async () => {
      const text = fc
        .string({ minLength: 1, maxLength: 6 })
        .map((s) => `t-${Buffer.from(s).toString('hex')}`);
      const message = fc.record(
        { role: fc.constantFrom('system', 'user', 'assistant'), content: text, name: text },
        { requiredKeys: ['role', 'content'] },
      );
      const value = fc.oneof(
        { weight: 6, arbitrary: text },
        { weight: 2, arbitrary: fc.array(message, { minLength: 2, maxLength: 4 }) },
        fc.integer(),
        fc.boolean(),
        fc.constant(null),
        fc.constant(''),
        fc.dictionary(text, text, { maxKeys: 2 }),
      );
      const known = [
        'prompt',
        'question',
        'instruction',
        'problem',
        'input',
        'answer',
        'completion',
        'response',
        'output',
        'solution',
        'correct',
        'label',
        'is_correct',
        'reference',
        'ground_truth',
        'target',
        'tests',
        'source',
        'model',
        'chosen',
        'rejected',
        'messages',
        'score',
        'odd',
      ];
      let readable = 0;
      await fc.assert(
        fc.asyncProperty(
          fc.uniqueArray(fc.constantFrom(...known), { minLength: 2, maxLength: 7 }),
          fc.array(value, { minLength: 7, maxLength: 7 }),
          async (names, values) => {
            const record = Object.fromEntries(names.map((name, i) => [name, values[i]]));
            const whole = await readRecords(record).catch((error: unknown) => error as Error);
            if (whole instanceof Error) {
              expect(whole).toMatchObject({ name: 'WhetstoneError', kind: 'invalid-input' });
              return;
            }
            readable++;
            expect(lost(record, whole), JSON.stringify(record)).toEqual([]);
            for (const name of names) expect(useOf(whole, name), name).toBeDefined();
          },
        ),
        { numRuns: 600 },
      );
      expect(readable, 'records that this test read').toBeGreaterThan(20);
    },
  );

  test('keeps a message’s fields besides role and content, and all turns of a conversation', async () => {
    const shared = [say('system', 'be brief'), say('user', 'first question')];
    const whole = await readRecords({
      prompt: 'first question',
      chosen: [...shared, say('assistant', 'a1'), say('user', 'follow-up c'), say('assistant', 'a2')],
      rejected: [...shared, say('assistant', 'b1'), say('user', 'follow-up r'), say('assistant', 'b2')],
    });
    expect(whole.rows.map((row) => row.prompt)).toEqual(
      Array(2).fill('system: be brief\n\nuser: first question'),
    );
    expect(whole.rows[0].answer).toBe('assistant: a1\n\nuser: follow-up c\n\nassistant: a2');
    const [row] = (
      await readRecords({ messages: [{ ...say('user', 'u'), name: 'Ann' }, say('assistant', 'a')] })
    ).rows;
    expect(row.extra).toEqual({ 'messages[].name': ['Ann', null] });
  });

  test('keeps the digits of integers beyond float64, and leaves such digits within a text unchanged', async () => {
    const text =
      '{"prompt":"p ' +
      '12345678901234567890","answer":"a","id":12345678901234567890,"share":0.12345678901234567,"n":9007199254740991}';
    const [row] = (await readText('a.jsonl', text)).rows;
    expect(row).toMatchObject({
      prompt: 'p 12345678901234567890',
      extra: { id: '12345678901234567890', share: 0.12345678901234567, n: 9007199254740991 },
    });
  });

  test('reads records by their own keys, even if they differ from the first record’s', async () => {
    const whole = await readRecords(
      { prompt: 'p1', answer: 'a1' },
      { question: 'p2', response: 'a2', id: 2 },
      { prompt: 'p3', answer: 'a3', correct: true, note: 'n' },
    );
    expect(whole.rows.map(({ prompt, answer, correct, extra }) => [prompt, answer, correct, extra])).toEqual([
      ['p1', 'a1', null, undefined],
      ['p2', 'a2', null, { id: 2 }],
      ['p3', 'a3', true, { note: 'n' }],
    ]);
    expect(useOf(whole, 'id')).toMatchObject({ kept: 1 });
  });

  test('counts very many column names together', async () => {
    const records = Array.from({ length: 900 }, (_, i) => ({ prompt: `p${i}`, answer: 'a', [`id-${i}`]: i }));
    const whole = await readRecords(...records);
    expect(whole.doctor.columns.length).toBeLessThan(500);
    expect(whole.doctor.columns.reduce((sum, column) => sum + column.kept, 0)).toBe(900);
    expect(whole.rows.at(-1)?.extra).toEqual({ 'id-899': 899 });
  });
});

describe('a column under another name', () => {
  const pair = (label: unknown, other: unknown) => [
    { prompt: '2+2?', completion: '4', label },
    { prompt: '2+2?', completion: '5', label: other },
    { prompt: '2+3?', completion: '5', label: null },
  ];

  test.each<[unknown, unknown]>([
    [true, false],
    [1, 0],
    ['1', '0'],
    ['True', 'False'],
    [1, -1],
    ['good', 'bad'],
    ['desirable', 'undesirable'],
  ])('a label of %j and %j marks answers', async (right, wrong) => {
    const whole = await readRecords(...pair(right, wrong));
    expect(whole.rows.map((row) => row.correct)).toEqual([true, false, null]);
    expect(whole.doctor).toMatchObject({
      pairs: 1,
      unmarked: 1,
      why: expect.stringContaining('"label" as correct'),
    });
  });

  test('keeps a class label with the row', async () => {
    const whole = await readRecords(...pair('algebra', 1));
    expect(whole.rows.map(({ correct, extra }) => [correct, extra?.label])).toEqual([
      [null, 'algebra'],
      [null, 1],
      [null, undefined],
    ]);
    expect(useOf(whole, 'label')).toMatchObject({ used: 0, kept: 2, empty: 1 });
  });

  test('a label next to a conversation marks it', async () => {
    const messages = [say('user', 'u'), say('assistant', 'a')];
    expect(
      (await readRecords({ messages, label: true }, { messages, label: false })).rows.map(
        (row) => row.correct,
      ),
    ).toEqual([true, false]);
  });

  test('an input after an instruction is part of the prompt, so two tasks stay distinct', async () => {
    const whole = await readRecords(
      { instruction: 'Translate', input: 'cat', output: 'Katze' },
      { instruction: 'Translate', input: 'dog', output: 'Hund' },
      { instruction: 'Name a colour', input: '', output: 'red' },
    );
    expect(whole.rows.map((row) => row.prompt)).toEqual([
      'Translate\n\ncat',
      'Translate\n\ndog',
      'Name a colour',
    ]);
    expect(whole.doctor.prompts).toBe(3);
    expect(
      (await readRecords({ instruction: 'Choose', input: 'x', chosen: 'a', rejected: 'b' })).rows[0].prompt,
    ).toBe('Choose\n\nx');
  });

  test('an input alone is a prompt', async () => {
    expect((await readRecords({ input: 'p', output: 'a' })).rows[0]).toMatchObject({
      prompt: 'p',
      answer: 'a',
    });
  });

  test('a question next to chosen and rejected is their prompt', async () => {
    const { rows } = await readRecords({
      question: 'Which?',
      chosen: 'this',
      rejected: 'that',
      score_chosen: 0.9,
    });
    expect(rows.map(({ prompt, answer, extra }) => [prompt, answer, extra])).toEqual([
      ['Which?', 'this', { score_chosen: 0.9 }],
      ['Which?', 'that', { score_chosen: 0.9 }],
    ]);
  });

  test('a worked answer that is marked wrong is wrong', async () => {
    const { rows } = await readRecords(
      { question: 'q', answer: 'work\n#### 3', correct: false },
      { question: 'q', answer: 'work\n#### 4', correct: true },
    );
    expect(rows.map((row) => row.correct)).toEqual([false, true]);
  });
});
