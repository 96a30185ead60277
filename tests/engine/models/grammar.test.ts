import Ajv from 'ajv';
import { afterAll, describe, expect, it } from 'vitest';
import { configOf } from '../../../engine/models/config.ts';
import { generate, type GenerateOptions } from '../../../engine/models/generate/generate.ts';
import {
  checkGrammar,
  TokenGrammar,
  type Grammar,
} from '../../../engine/models/generate/grammar/token-grammar.ts';
import { nextTokenLogits } from '../../../engine/models/logits.ts';
import { createModel } from '../../../engine/models/model.ts';
import { openDevice } from '../../../engine/runtime/index.ts';
import { makeTokenizer } from '../../../engine/text/load.ts';
import type { Tokenizer } from '../../../engine/text/tokenizer.ts';
import { fixedModel } from '../../support/fixed-model.ts';
import { caught } from '../../support/errors.ts';

const device = await openDevice({ id: 'cpu', threads: 1 });
afterAll(() => device.close());

const texts = [
  '{"name": "Ann", "age": 31, "tags": ["x", "y"], "ok": true, "rest": null, "n": -2.5}',
  'abc 0123456789',
];
const tokenizers = {
  characters: makeTokenizer({ kind: 'characters' }, texts, texts),
  bytes: makeTokenizer({ kind: 'bytes' }, texts, texts),
  bpe: makeTokenizer({ kind: 'bpe', vocabulary: 320 }, texts, Array.from({ length: 20 }, () => texts).flat()),
};
const where = 'sampling.grammar';
const pattern = (text: string): Grammar => ({ kind: 'pattern', pattern: text });
const json = (schema: Record<string, unknown>): Grammar => ({ kind: 'json-schema', schema });

/** Answers of a random model that fit a grammar. */
const answersIn = async (
  grammar: Grammar,
  tokenizer: Tokenizer,
  {
    heads = 2,
    maxTokens = 40,
    rows = 24,
    ...more
  }: Partial<Omit<GenerateOptions, 'rows'>> & { heads?: number; rows?: number } = {},
) => {
  const model = createModel(
    configOf({ family: 'gpt2', width: 16, layers: 1, heads, context: 128 }, tokenizer.vocabulary),
    5,
  );
  const answers = await generate({
    device,
    model,
    rows: Array.from({ length: rows }, (_, sample) => ({ prompt: Int32Array.of(1), promptId: '?', sample })),
    temperature: 1,
    maxTokens,
    seed: 2,
    purpose: 'grammar',
    step: 0,
    hooks: [new TokenGrammar(grammar, tokenizer, { maxTokens, where })],
    ...more,
  });
  return { model, answers, texts: answers.map(({ tokens }) => tokenizer.decode(tokens)) };
};

describe('every answer fits its pattern, and ends in time', () => {
  it.each([
    ['(yes|no)', /^(yes|no)$/],
    ['-?[0-9]{1,3}(\\.\\d+)?', /^-?[0-9]{1,3}(\.\d+)?$/],
    ['a+(b|c)*', /^a+(b|c)*$/],
    ['[^a-c\\d]{2}x?', /^[^a-c\d]{2}x?$/u],
    ['(?:a|bc){2,3}', /^(?:a|bc){2,3}$/],
    ['x\\{y\\}\\n?', /^x\{y\}\n?$/],
    ['', /^$/],
  ])('%s', async (text, expected) => {
    for (const tokenizer of [tokenizers.bytes, tokenizers.bpe]) {
      const { answers, texts: written } = await answersIn(pattern(text), tokenizer, { maxTokens: 12 });
      for (const one of written) expect(one).toMatch(expected);
      expect(answers.every(({ stopReason }) => stopReason === 'end')).toBe(true);
    }
  });
});

const schema = {
  type: 'object',
  properties: {
    name: { type: 'string', maxLength: 5 },
    age: { type: 'integer' },
    tags: { type: 'array', items: { enum: ['x', 'y'] }, minItems: 1, maxItems: 3 },
    ok: { type: ['boolean', 'null'] },
    rest: { anyOf: [{ type: 'null' }, { type: 'number' }] },
  },
  required: ['age', 'tags'],
};

describe('JSON of a schema', () => {
  const fits = new Ajv.default().compile({ ...schema, additionalProperties: false });
  it.each(Object.entries(tokenizers))('is all that is written by tokens of %s', async (_, tokenizer) => {
    const { texts: written } = await answersIn(json(schema), tokenizer, { maxTokens: 60, rows: 40 });
    expect(written.filter((text) => !fits(JSON.parse(text)))).toEqual([]);
    expect(new Set(written).size).toBeGreaterThan(20);
  });
  it('is written in chunks too, and greedily', async () => {
    for (const more of [{ heads: 4 }, { greedy: true }, { heads: 4, greedy: true }]) {
      const { texts: written } = await answersIn(json(schema), tokenizers.characters, { ...more, rows: 6 });
      for (const text of written) expect(fits(JSON.parse(text))).toBe(true);
    }
  });
  it('may leave out every property of which none is required', async () => {
    const { texts: written } = await answersIn(
      json({ type: 'object', properties: { a: { const: 0 }, b: { const: 1 }, c: { const: 2 } } }),
      tokenizers.characters,
      { rows: 60 },
    );
    const allowed = [
      '{}',
      '{"a":0}',
      '{"b":1}',
      '{"c":2}',
      '{"a":0,"b":1}',
      '{"a":0,"c":2}',
      '{"b":1,"c":2}',
      '{"a":0,"b":1,"c":2}',
    ];
    expect([...new Set(written)].filter((text) => !allowed.includes(text))).toEqual([]);
    expect(new Set(written).size).toBeGreaterThan(3);
  });
});

it('gives each token its log-probability among the allowed ones', async () => {
  const tokenizer = tokenizers.characters;
  const { model, answers } = await answersIn(pattern('[abc]{3}'), tokenizer, { rows: 8 });
  const letters = [...tokenizer.encode('abc')];
  for (const { tokens, logp } of answers) {
    const rows = await nextTokenLogits(device, model, [...tokens], true);
    for (let t = 0; t < 3; t++) {
      const whole = Math.log(letters.reduce((sum, v) => sum + Math.exp(rows[t][v]), 0));
      expect(logp[t]).toBeCloseTo(rows[t][tokens[t + 1]] - whole, 4);
    }
    // only the end is left
    expect(logp[3]).toBe(0);
  }
});

it('draws in proportion to the model: two arms of three', async () => {
  const tokenizer = makeTokenizer({ kind: 'characters' }, ['abc'], ['abc']);
  const [a, b, c] = tokenizer.encode('abc');
  const logits = Array.from({ length: tokenizer.vocabulary }, () => 0);
  [logits[a], logits[b], logits[c]] = [1, 0, -1];
  const { answers } = await answersIn(pattern('a|c'), tokenizer, {
    model: fixedModel(logits),
    rows: 400,
    maxTokens: 4,
  });
  const share = answers.filter(({ tokens }) => tokens[1] === a).length / 400;
  // σ(2), within four standard errors
  expect(Math.abs(share - 0.8808)).toBeLessThan(4 * Math.sqrt((0.8808 * 0.1192) / 400));
});

describe('a grammar is refused with the path of its field', () => {
  it.each([
    ['if no text fits', pattern('a[^\\s\\S]'), 'sampling.grammar.pattern'],
    [
      'if a list needs more items than it may have',
      json({ type: 'array', items: { const: 1 }, minItems: 2, maxItems: 1 }),
      'sampling.grammar.schema',
    ],
    ['if an enum has no value', json({ enum: [] }), 'sampling.grammar.schema'],
    ['for a group without its end', pattern('(ab'), 'sampling.grammar.pattern'],
    ['for a range that ends before it begins', pattern('[b-a]'), 'sampling.grammar.pattern'],
    ['for an unknown escape', pattern('\\b'), 'sampling.grammar.pattern'],
    ['for too many states', pattern('(a{1000}){1000}'), 'sampling.grammar.pattern'],
    [
      'for an unsupported keyword',
      json({ type: 'object', properties: { a: { type: 'string', format: 'date' } } }),
      'sampling.grammar.schema.properties.a.format',
    ],
    ['for an unknown type', json({ type: 'date' }), 'sampling.grammar.schema.type'],
    [
      'for a required name that is no property',
      json({ type: 'object', required: ['a'] }),
      'sampling.grammar.schema.required',
    ],
  ])('%s', (_, grammar, path) => {
    expect(caught(() => checkGrammar(grammar, where))).toMatchObject({ kind: 'invalid-input', where: path });
  });
  it('if the tokenizer cannot write it, or not within the length', () => {
    const of = (text: string, maxTokens: number) => () =>
      new TokenGrammar(pattern(text), tokenizers.characters, { maxTokens, where });
    expect(caught(of('Z+', 9))).toMatchObject({ where: 'sampling.grammar.pattern' });
    expect(caught(of('a{9}', 9))).toMatchObject({ where: 'sampling.grammar.pattern' });
    expect(of('a{9}', 10)).not.toThrow();
  });
});
