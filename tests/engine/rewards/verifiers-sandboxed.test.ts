import { afterAll, describe, expect, test } from 'vitest';
import { theSandbox } from '../../../engine/sandbox/index.ts';
import { rejected } from '../../support/errors.ts';
import { judged, rewardOf } from '../../support/verdicts.ts';

afterAll(() => theSandbox().close());

describe('match/pattern', () => {
  test('uses the reference as a pattern, or one pattern that selects the text to compare', async () => {
    expect(await judged('match/pattern', '^\\d{4}-\\d{2}$', ['2026-01', '2026-1', 'x 2026-01'])).toEqual([
      1, 0, 0,
    ]);
    expect(
      await judged('match/pattern', '42', ['<a>42</a>', '<a>41</a>', '42'], { pattern: '<a>(.*?)</a>' }),
    ).toEqual([1, 0, 0]);
    expect(await judged('match/pattern', 'rome', ['ROME', 'r'], { flags: 'i' })).toEqual([1, 0]);
  });

  test('reports an invalid pattern with its location', async () => {
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

  test('stops a pattern that does not terminate, and reports it with the text', async () => {
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
  test('accepts valid JSON, bare or in the last fenced block', async () => {
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

  test('uses one schema for all rows, in both drafts', async () => {
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
  ])('rejects %j as a schema', async (reference, why) =>
    expect(await rejected(judged('match/json-schema', reference, ['1']))).toMatchObject({
      kind: 'invalid-input',
      message: expect.stringContaining(why),
    }),
  );

  test('stops a pattern in a schema that does not terminate', async () => {
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
  test('accepts code that passes its tests, however it is declared', async () => {
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

  test('rejects code that evades its tests', async () => {
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

  test('compares values part by part; code may extend built-in objects that tests rely on, but not replace their methods', async () => {
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

  test('rejects a reference without a test', async () => {
    expect(await rejected(judged('match/unit-test', 'add(1, 2)', ['x']))).toMatchObject({
      kind: 'invalid-input',
      message: expect.stringContaining('assert'),
    });
  });
});

test('match/json-schema: does not count inherited properties as properties of the answer', async () => {
  expect(
    await judged('match/json-schema', '{"type":"object","required":["toString"]}', ['{}', '{"toString":1}']),
  ).toEqual([0, 1]);
});
