import { resolve } from 'node:path';
import { expect, test } from 'vitest';
import { decodingFrom } from '../../main/commands/decoding-options.ts';
import { caught } from '../support/errors.ts';

test('flags of sampling become its options, and nothing without flags', () => {
  expect(decodingFrom({})).toEqual({});
  expect(decodingFrom({ 'top-k': '5', 'top-p': '0.9', 'min-p': '0.1', pattern: 'a+' })).toEqual({
    decoding: { topK: 5, topP: 0.9, minP: 0.1, grammar: { kind: 'pattern', pattern: 'a+' } },
  });
  expect(decodingFrom({ 'json-schema': '{"type": "null"}', guide: 'm', 'guide-weight': '-0.5' })).toEqual({
    decoding: { grammar: { kind: 'json-schema', schema: { type: 'null' } } },
    guide: { folder: resolve('m'), how: 'mix', weight: -0.5 },
  });
});

test('a draft model has a tree of three levels unless it is told otherwise', () => {
  expect(decodingFrom({ draft: 'm' })).toEqual({ draft: { folder: resolve('m'), branching: [3, 2, 1] } });
  expect(decodingFrom({ draft: 'm', branching: '4' }).draft?.branching).toEqual([4]);
});

test('texts of two kinds become a direction', () => {
  const flags = {
    'steer-toward': ['a', 'b'],
    'steer-away': ['c'],
    'steer-layer': '1',
    'steer-strength': '-2',
  };
  const said = (answer: string) => ({ prompt: '', answer });
  expect(decodingFrom(flags)).toEqual({
    decoding: {
      steering: { kind: 'texts', layer: 1, strength: -2, toward: [said('a'), said('b')], away: [said('c')] },
    },
  });
});

test.each([
  [{ 'json-schema': '[1]' }, '--json-schema'],
  [{ 'json-schema': '{' }, '--json-schema'],
  [{ pattern: 'a', 'json-schema': '{}' }, '--pattern, --json-schema'],
  [{ pattern: '' }, '--pattern'],
  [{ 'guide-how': 'both' }, '--guide-how'],
  [{ 'guide-how': 'add' }, '--guide-how'],
  [{ 'guide-weight': '1' }, '--guide-weight'],
  [{ 'top-p': '0' }, '--top-p'],
  [{ 'top-k': '0' }, '--top-k'],
  [{ 'min-p': '1' }, '--min-p'],
  [{ branching: '2' }, '--branching'],
  [{ draft: 'm', branching: '2,0' }, '--branching'],
  [{ 'steer-layer': '1' }, '--steer-toward'],
  [{ 'steer-toward': ['a'] }, '--steer-away'],
])('%o is refused with its flag', (values, where) => {
  expect(caught(() => decodingFrom(values))).toMatchObject({ kind: 'invalid-input', where });
});

test('a bound that is not reached is named as such', () => {
  expect(caught(() => decodingFrom({ 'top-p': '0' }))).toMatchObject({
    message: '--top-p must be a number above 0, at most 1.',
    hint: 'Must be more than 0.',
  });
  expect(decodingFrom({ 'top-p': '1e-9' })).toEqual({ decoding: { topP: 1e-9 } });
});
