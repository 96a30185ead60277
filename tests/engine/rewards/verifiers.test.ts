import { readFileSync } from 'node:fs';
import fc from 'fast-check';
import { afterAll, describe, expect, test } from 'vitest';
import { chosenOption, normalised, optionsIn } from '../../../engine/answers/choices.ts';
import { finalNumber, isNumber, numbersIn } from '../../../engine/answers/numbers.ts';
import { rewards, type AnswerRow } from '../../../engine/rewards/index.ts';
import { theSandbox } from '../../../engine/sandbox/index.ts';
import { testWithData } from '../../support/data.ts';
import { rejected } from '../../support/errors.ts';

afterAll(() => theSandbox().close());

const rewardOf = (id: string) => {
  const found = rewards.find((reward) => reward.id === id);
  if (!found) throw new Error(`no reward ${id}`);
  return found;
};
const row = (reference: string | null, completion: string, prompt = 'What?'): AnswerRow => ({
  promptId: 'p',
  prompt,
  completion,
  reference,
  tokens: 1,
  stopReason: 'end',
});
const judge = async (id: string, rows: readonly AnswerRow[], params: object = {}) => [
  ...(await (await rewardOf(id).open(params, { reference: true })).score(rows)),
];
/** What each answer earns against one reference. */
const judged = (id: string, reference: string, answers: readonly string[], params: object = {}) =>
  judge(
    id,
    answers.map((answer) => row(reference, answer)),
    params,
  );

describe('numbers in text', () => {
  test.each<[string, number[]]>([
    ['1,234.5', [1234.5]],
    ['1,234,567', [1234567]],
    ['−3', [-3]],
    ['-3', [-3]],
    ['+3', [3]],
    ['3/4', [0.75]],
    ['1 1/2 cups', [1.5]],
    ['1e3', [1000]],
    ['2.5E-2', [0.025]],
    ['$5', [5]],
    ['-$5', [-5]],
    ['$-5', [-5]],
    ['50%', [50]],
    ['50 percent', [50]],
    ['.5', [0.5]],
    ['5.', [5]],
    ['72 apples', [72]],
    ['5kg', [5]],
    ['16-3=13', [16, 3, 13]],
    ['16 - 3', [16, 3]],
    ['x=-3', [-3]],
    ['(2)-1', [2, 1]],
    ['B2', []],
    ['CO2', []],
    ['', []],
    ['no number', []],
    ['1/0', []],
    ['1e999', []],
    ['12,34', [12, 34]],
    ['1, 2 and 3', [1, 2, 3]],
    ['\\frac{3}{4}', [0.75]],
    ['-\\frac{1}{2}', [-0.5]],
    ['1{,}234', [1234]],
    ['\\$7', [7]],
    ['7\\%', [7]],
    ['€1,000', [1000]],
  ])('%j holds %j', (text, values) => expect(numbersIn(text).map(({ value }) => value)).toEqual(values));

  test.each<[string, number | null]>([
    ['She has 3 and 4, so 7.', 7],
    ['#### 72', 72],
    ['so 5\n#### 72 (of 100)', 72],
    ['\\boxed{72} in 3 steps', 72],
    ['\\boxed{\\frac{1}{2}}', 0.5],
    ['\\boxed{x = 12}', 12],
    ['#### 1\n\\boxed{2}', 2],
    ['\\boxed{2}\n#### 1', 1],
    ['\\boxed{}', null],
    ['#### none', null],
    ['\\boxed{7', 7],
    ['', null],
  ])('%j comes to %j', (text, value) => expect(finalNumber(text)?.value ?? null).toBe(value));

  test('any number survives being written, with separators and between words', () => {
    fc.assert(
      fc.property(
        fc.double({ min: -1e9, max: 1e9, noNaN: true }),
        fc.constantFrom('', '$', 'it is ', '= '),
        fc.constantFrom('', ' dollars', '.', '\n'),
        (value, before, after) => {
          const written = value.toLocaleString('en', { maximumFractionDigits: 6 });
          expect(numbersIn(`${before}${written}${after}`).at(-1)?.value).toBe(
            Number(written.replaceAll(',', '')) + 0,
          );
        },
      ),
    );
  });

  test('a text is a number where nothing else is in it but a label', () => {
    for (const text of [
      '72',
      ' 1,234.5 ',
      '-3',
      '3/4',
      '$5',
      '50%',
      '#### 72',
      'A: 18',
      'worked = 3\nA: 18',
      'Answer: 5.',
    ])
      expect(isNumber(text), text).toBe(true);
    for (const text of ['', 'B', '72 apples', 'about 5', '1 2', 'x=3', '3\nnone'])
      expect(isNumber(text), text).toBe(false);
  });
});

describe('match/numeric', () => {
  test('reads both sides alike', async () => {
    expect(
      await judged('match/numeric', '#### 1,234.50', [
        '1234.5',
        'So $1,234.50.',
        '\\boxed{1234.5}',
        '1234',
        'none',
        '',
      ]),
    ).toEqual([1, 1, 1, 0, 0, 0]);
    expect(await judged('match/numeric', '0.5', ['1/2', '50%', '.5', '50', '0.50001'])).toEqual([
      1, 1, 1, 0, 0,
    ]);
    expect(await judged('match/numeric', '20%', ['20', '0.2', '20 %', '2'])).toEqual([1, 1, 1, 0]);
    expect(
      await judged('match/numeric', '12345678901234567890', [
        '12,345,678,901,234,567,890',
        '12345678901234567891',
      ]),
    ).toEqual([1, 0]);
  });

  test('is as exact as it is told', async () => {
    expect(await judged('match/numeric', '100', ['100.4', '99', '102'], { tolerance: 0.5 })).toEqual([
      1, 0, 0,
    ]);
    expect(
      await judged('match/numeric', '100', ['100.4', '99', '102'], { tolerance: 0, relative: 0.01 }),
    ).toEqual([1, 1, 0]);
  });

  testWithData(
    'agrees with the marks of 3,600 model solutions of GSM8K',
    'gsm8k-model-solutions-900.jsonl',
    async (path) => {
      type Solution = { is_correct: boolean; solution: string };
      const records = readFileSync(path, 'utf8')
        .trim()
        .split('\n')
        .map((line) => JSON.parse(line) as Record<string, string | Solution>);
      const solutions = records.flatMap(({ question, ground_truth: truth, ...models }) =>
        Object.values(models).map((solution) => ({ question, truth, ...(solution as Solution) })),
      );
      const scores = await judge(
        'match/numeric',
        solutions.map(({ question, truth, solution }) => row(truth as string, solution, question as string)),
      );
      expect(solutions).toHaveLength(3600);
      expect(solutions.filter((solution, i) => solution.is_correct === (scores[i] === 1))).toHaveLength(3600);
    },
  );
});

describe('match/exact, match/normalised', () => {
  test('letters, or words alone', async () => {
    expect(
      await judged('match/exact', 'The Eiffel Tower', [
        'The Eiffel Tower\n',
        'the eiffel tower',
        'The Eiffel Tower.',
      ]),
    ).toEqual([1, 0, 0]);
    expect(
      await judged('match/normalised', 'The Eiffel Tower', [
        'eiffel  tower!',
        'An Eiffel-Tower',
        'Eiffel',
        'Tower Eiffel',
        '',
      ]),
    ).toEqual([1, 1, 0, 0, 0]);
    expect(await judged('match/normalised', 'Ｃafé', ['café.', 'cafe'])).toEqual([1, 0]);
  });

  test('of the part that counts', async () => {
    expect(
      await judged('match/exact', 'Rome', ['I think:\nRome', 'Rome\nor so'], { part: 'last-line' }),
    ).toEqual([1, 0]);
    expect(
      await judged(
        'match/exact',
        'Rome',
        ['#### Rome', '#### Paris\n#### Rome', 'Rome', '\\boxed{Rome}', '\\boxed{Rome} #### Paris'],
        { part: 'marked' },
      ),
    ).toEqual([1, 1, 0, 1, 0]);
    expect(
      await judged('match/exact', 'Rome', ['=> Rome', '#### Rome'], { part: 'marked', mark: '=>' }),
    ).toEqual([1, 0]);
  });

  test('a reference of articles alone is refused, with its prompt', async () => {
    expect(await rejected(judge('match/normalised', [row('the', 'x', 'Which article?')]))).toMatchObject({
      kind: 'invalid-input',
      message: expect.stringContaining('Which article?'),
    });
  });
});

describe('match/choice', () => {
  const question = 'Which is red?\nA. the sky\nB. a rose\nC) grass';
  const inline = 'Which? (A) one (B) two';
  const choices = (reference: string, answers: readonly string[], prompt = question) =>
    judge(
      'match/choice',
      answers.map((answer) => row(reference, answer, prompt)),
    );

  test('options are read from the question', () => {
    expect([...optionsIn(question)]).toEqual([
      ['A', 'the sky'],
      ['B', 'a rose'],
      ['C', 'grass'],
    ]);
    expect([...optionsIn(inline).values()]).toEqual(['one', 'two']);
    expect(optionsIn('A. only one').size + optionsIn('Which?').size + optionsIn('B. x\nC. y').size).toBe(0);
  });

  test.each([
    'B',
    'b',
    '(B)',
    'B.',
    'B) a rose',
    'A rose',
    'The answer is B',
    'the answer is (B).',
    'Answer: B',
    'Thinking about A.\nSo the answer is: a rose',
    '\\boxed{B}',
    '\\boxed{\\text{B}}',
    '#### B',
    '**B**',
    'I would say (B) since roses are',
  ])('%j names B', (answer) => expect(chosenOption(answer, optionsIn(question))).toBe('B'));
  test.each(['', 'D', 'rose or sky', 'A dog', 'the answer is not there', 'bee'])(
    '%j names nothing',
    (answer) => expect(chosenOption(answer, optionsIn(question))).toBeNull(),
  );

  test('references may be letters or words', async () => {
    for (const reference of ['B', '(b)', 'a rose', 'B. a rose'])
      expect(await choices(reference, ['B', 'rose', 'The answer is B.', 'A', 'sky', ''])).toEqual([
        1, 1, 1, 0, 0, 0,
      ]);
    expect(await choices('B', ['two', 'one', '(B)'], inline)).toEqual([1, 0, 1]);
    expect(await choices('Rome', ['rome', 'Paris'], 'Capital of Italy?')).toEqual([1, 0]);
  });
});

describe('match/pattern', () => {
  test('the reference as a pattern, or one pattern that finds what is compared', async () => {
    expect(await judged('match/pattern', '^\\d{4}-\\d{2}$', ['2026-01', '2026-1', 'x 2026-01'])).toEqual([
      1, 0, 0,
    ]);
    expect(
      await judged('match/pattern', '42', ['<a>42</a>', '<a>41</a>', '42'], { pattern: '<a>(.*?)</a>' }),
    ).toEqual([1, 0, 0]);
    expect(await judged('match/pattern', 'rome', ['ROME', 'r'], { flags: 'i' })).toEqual([1, 0]);
  });

  test('what is no pattern is refused where it stands', async () => {
    expect(await rejected(judged('match/pattern', '(', ['x']))).toMatchObject({
      kind: 'invalid-input',
      message: expect.stringContaining('not a regular expression'),
    });
    expect(
      await rejected(rewardOf('match/pattern').open({ pattern: '(' }, { reference: true })),
    ).toMatchObject({ kind: 'invalid-input', message: expect.stringContaining('pattern') });
    expect(
      await rejected(rewardOf('match/pattern').open({ flags: 'gg' }, { reference: true })),
    ).toMatchObject({ kind: 'invalid-input' });
  });

  test('one that would not end is stopped, and named with the text', async () => {
    const began = performance.now();
    expect(await rejected(judged('match/pattern', '^(a+)+$', [`${'a'.repeat(60)}b`]))).toMatchObject({
      kind: 'invalid-input',
      message: expect.stringMatching(/\(a\+\)\+.*aaa/),
    });
    expect(performance.now() - began).toBeLessThan(20_000);
  });
});

describe('match/json-schema', () => {
  const schema = JSON.stringify({
    type: 'object',
    properties: { name: { type: 'string' }, age: { type: 'integer', minimum: 0 } },
    required: ['name'],
    additionalProperties: false,
  });
  test('JSON that fits, bare or in its last fenced block', async () => {
    const fitting = [
      '{"name":"Ann"}',
      ' {"name":"Ann","age":3}\n',
      'Here:\n```json\n{"name":"Ann"}\n```\nDone.',
      '```\n{}\n```\n```json\n{"name":"Ann"}\n```',
    ];
    const wrong = [
      '{"name":3}',
      '{"name":"Ann","age":-1}',
      '{"name":"Ann","x":1}',
      '{name:"Ann"}',
      '',
      'null',
      `${'['.repeat(90_000)}`,
      '```json\n{"name":"Ann"}\n```\n```\n{}\n```',
    ];
    expect(await judged('match/json-schema', schema, [...fitting, ...wrong])).toEqual([
      ...fitting.map(() => 1),
      ...wrong.map(() => 0),
    ]);
  });

  test('one schema for all, and both drafts', async () => {
    expect(
      await judged('match/json-schema', 'whatever', ['3', '"x"'], { schema: { type: 'integer' } }),
    ).toEqual([1, 0]);
    const tuple = JSON.stringify({
      $schema: 'https://json-schema.org/draft/2020-12/schema',
      prefixItems: [{ type: 'integer' }],
      items: false,
    });
    expect(await judged('match/json-schema', tuple, ['[1]', '["x"]', '[1,2]'])).toEqual([1, 0, 0]);
  });

  test.each([
    ['{', 'not JSON'],
    ['[]', 'not a JSON object'],
    ['{"type":"nothing"}', 'not a JSON Schema'],
    ['{"$ref":"https://example.org/other.json"}', 'not a JSON Schema'],
    ['{"pattern":"("}', 'not a'],
  ])('refuses %j as a schema', async (reference, why) =>
    expect(await rejected(judged('match/json-schema', reference, ['1']))).toMatchObject({
      kind: 'invalid-input',
      message: expect.stringContaining(why),
    }),
  );

  test('a pattern of a schema that would not end is stopped', async () => {
    expect(
      await rejected(
        judged('match/json-schema', '{"type":"string","pattern":"^(a+)+$"}', [
          JSON.stringify(`${'a'.repeat(60)}b`),
        ]),
      ),
    ).toMatchObject({ kind: 'invalid-input' });
  });
});

describe('match/unit-test', () => {
  const tests = 'assert(add(1, 2) === 3);\nassert.equal(add(-1, 1), 0);';
  test('code that passes its tests, whatever it declares things with', async () => {
    const right = [
      'function add(a, b) { return a + b; }',
      'const add = (a, b) => a + b',
      'Here:\n```js\nlet add = (a, b) => { return a + b; };\n```',
      'var add = (a, b) => a + b; // done',
    ];
    const wrong = [
      'function add(a, b) { return a - b; }',
      'function sub() {}',
      '',
      'const add = (a, b) => {',
      'for (;;) {}',
      'throw 1',
      'const add = (a, b) => a + b; add.x.y',
    ];
    expect(await judged('match/unit-test', tests, [...right, ...wrong], { seconds: 0.5 })).toEqual([
      ...right.map(() => 1),
      ...wrong.map(() => 0),
    ]);
  });

  test('is not passed by code that hides from its tests', async () => {
    const cheats = [
      'const assert = () => {}; globalThis.assert = () => {};',
      'var add = 1; /*',
      'return true',
      '} return true; {',
      'throw { message: "true" }',
      'let assert = () => true; let add = () => 0;',
      '`',
      'const add = () => 3; /*',
      'Object.getOwnPropertyNames(globalThis).filter((n) => n.startsWith("reached")).forEach((n) => ' +
        'globalThis[n]((a) => a(true)))',
    ];
    expect(await judged('match/unit-test', tests, cheats)).toEqual(cheats.map(() => 0));
  });

  test('values are compared part by part, and what tests lean on may be added to but not changed', async () => {
    const one = async (test: string, answer: string) => (await judged('match/unit-test', test, [answer]))[0];
    const right: [string, string][] = [
      ['assert.equal(f(), [1, [NaN]])', 'var f = () => [1, [0 / 0]]'],
      [
        'assert.equal(f(), { a: { b: [1] } })',
        'class P { constructor() { this.a = { b: [1] }; } }; var f = () => new P()',
      ],
      ['assert.equal(f(), new Map([[1, 2]]))', 'var f = () => new Map([[1, 2]])'],
      [
        'assert(f([3, 1]) === 1)',
        'Array.prototype.last = function () { return this[this.length - 1]; }; var f = (x) => x.last()',
      ],
      ['assert.equal(escape("<"), "lt")', 'function escape() { return "lt"; }'],
    ];
    const wrong: [string, string][] = [
      ['assert.equal(f(), [1, 2])', 'Array.prototype.toJSON = () => 1; var f = () => [9]'],
      ['assert.equal(f(), { a: 1 })', 'Object.prototype.toJSON = () => 1; var f = () => ({ b: 2 })'],
      ['assert.equal(f(), [0.5, NaN])', 'var f = () => [0.5, null]'],
      ['assert.equal(f(), new Map([[1, 2]]))', 'var f = () => new Map()'],
      ['assert.equal(f(), { a: 2 })', 'var f = () => ({ get a() { return 2; } })'],
      [
        'assert([1, 2].every((x) => f(x) > 0))',
        'var f = () => { Array.prototype.every = () => true; return 0; }',
      ],
      ['assert.equal(Math.max(f(), 2), 9)', 'const Math = { max: () => 9 }; var f = () => 0'],
      ['assert.equal(f(), [1])', 'var o = []; o[0] = o; var f = () => o'],
    ];
    for (const [test, answer] of right) expect(await one(test, answer), answer).toBe(1);
    for (const [test, answer] of wrong) expect(await one(test, answer), answer).toBe(0);
  });

  test('a reference without a test is refused', async () => {
    expect(await rejected(judged('match/unit-test', 'add(1, 2)', ['x']))).toMatchObject({
      kind: 'invalid-input',
      message: expect.stringContaining('assert'),
    });
  });
});

test('match/json-schema: what every object inherits is no property of an answer', async () => {
  expect(
    await judged('match/json-schema', '{"type":"object","required":["toString"]}', ['{}', '{"toString":1}']),
  ).toEqual([0, 1]);
});

describe('any text', () => {
  const references: Record<string, string> = {
    'match/json-schema': '{"type":"object"}',
    'match/pattern': 'a.*b',
    'match/unit-test': 'assert(true)',
    'match/choice': 'B',
  };
  test.each([
    'match/numeric',
    'match/normalised',
    'match/exact',
    'match/choice',
    'match/pattern',
    'match/json-schema',
  ])('%s judges it without throwing, as 0 or 1', async (id) => {
    const scorer = await rewardOf(id).open({}, { reference: true });
    const texts = fc.oneof(
      fc.string({ unit: 'binary', maxLength: 300 }),
      fc
        .array(
          fc.constantFrom(
            '#### ',
            '\\boxed{',
            '}',
            '1,',
            '-',
            '3/4',
            '%',
            '(B)',
            'answer is ',
            '\n',
            '```',
            '{',
            '"a":',
            '$',
            'e9',
            'A. x',
          ),
        )
        .map((parts) => parts.join('')),
    );
    await fc.assert(
      fc.asyncProperty(texts, texts, async (completion, prompt) => {
        const [score] = await scorer.score([{ ...row(references[id] ?? '7', completion, prompt) }]);
        expect([0, 1]).toContain(score);
      }),
      { numRuns: 150 },
    );
    expect(
      await scorer.score([row(references[id] ?? '7', `${references[id] ?? '7'}\n`.repeat(100_000))]),
    ).toEqual(Float64Array.of(0));
  });

  test('reading takes time in proportion to the text', () => {
    for (const unit of [
      '1',
      '1,',
      '1,111',
      '-',
      '$',
      '1 ',
      '(A)',
      '\\boxed{',
      '1/',
      'answer ',
      '.5',
      '\\frac{1}{',
    ]) {
      const text = unit.repeat(Math.floor(90_000 / unit.length));
      const began = performance.now();
      finalNumber(text);
      chosenOption(text, optionsIn(text));
      normalised(text);
      expect(performance.now() - began, unit).toBeLessThan(5000);
    }
  });

  test('a row without a reference is refused with its prompt', async () => {
    expect(await rejected(judge('match/numeric', [row(null, '7', 'How many?')]))).toMatchObject({
      kind: 'invalid-input',
      message: expect.stringMatching(/How many\?.*missing/),
      where: 'rewards: match/numeric',
    });
    expect(await rejected(judge('match/numeric', [row('none', '7')]))).toMatchObject({
      message: expect.stringContaining('has no number: "none"'),
    });
  });
});
