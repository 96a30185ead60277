import { describe, expect, test } from 'vitest';
import * as z from 'zod';
import { defineReward, rewards, type AnswerRow } from '../../../engine/rewards/index.ts';
import { openWorldById } from '../../../engine/worlds/index.ts';
import { rejected } from '../../support/errors.ts';

const row = (completion: string, more: Partial<AnswerRow> = {}): AnswerRow => ({
  promptId: 'p',
  prompt: '7+4*3=?',
  completion,
  tokens: completion.length + 1,
  stopReason: 'end',
  ...more,
});
const score = async (
  id: string,
  params: unknown,
  rows: readonly AnswerRow[],
  world = openWorldById('arithmetic'),
) => {
  const reward = rewards.find((one) => one.id === id);
  if (!reward) throw new Error(`no reward ${id}`);
  return [...(await (await reward.open(params, { world })).score(rows))];
};

test('verifier: 1 for right, 0 for wrong; partial credit if the world gives it', async () => {
  expect(await score('verifier', {}, [row('#19'), row('#20'), row('')])).toEqual([1, 0, 0]);
  const copy = openWorldById('toy/copy');
  const rows = [row('ab', { prompt: 'ab>' }), row('ad', { prompt: 'ab>' })];
  expect(await score('verifier', {}, rows, copy)).toEqual([1, 0.5]);
  expect(await score('verifier', { value: 'correct' }, rows, copy)).toEqual([1, 0]);
});

test('length: linear in tokens, or near a target', async () => {
  const rows = [12, 24, 36, 100].map((tokens) => row('x', { tokens }));
  expect(await score('length', {}, rows)).toEqual([0.5, 1, 1.5, 100 / 24]);
  expect(await score('length', { kind: 'target' }, rows)).toEqual([0.5, 1, 0.5, 0]);
});

test('length-token: does an answer keep to the length that was asked for, or that it announced itself', async () => {
  const rows = [
    row('[5]abcde'),
    row('[5]abcdef'),
    row('[5]abcdefghi'),
    row('abcde'),
    row('[5]'),
    row('one two', { prompt: 'say[2]' }),
    row('[3]abc', { prompt: 'say[9]' }),
  ];
  const of = (params: object) => score('length-token', params, rows);
  expect(await of({})).toEqual([1, 0, 0, 0, 0, 0, 1]);
  expect(await of({ match: 'flexible' })).toEqual([1, 1, 0, 0, 0, 0, 1]);
  expect(await of({ step: 5 })).toEqual([1, 1, 0, 0, 0, 0, 1]);
  expect(await of({ step: 5, match: 'flexible' })).toEqual([1, 1, 1, 0, 1, 1, 1]);
  expect(await of({ unit: 'words' })).toEqual([0, 0, 0, 0, 0, 1, 0]);
});

describe('format', () => {
  test.each([
    ['4*3=12\n7+12=19\n#19', 1],
    ['#20', 1],
    ['4*3=12\n4*3=12\n#19', 2 / 3],
    ['#19\n4*3=12', 2 / 3],
    ['#19\n#20', 2 / 3],
    ['#19\n#19', 1 / 3],
    ['4*3=12', 0],
    ['#', 0],
    ['', 0],
  ])('%j earns %d', async (completion, expected) =>
    expect((await score('format', {}, [row(completion)]))[0]).toBeCloseTo(expected, 12),
  );

  test('a truncated answer has no end', async () => {
    expect((await score('format', {}, [row('#19', { stopReason: 'length' })]))[0]).toBeCloseTo(2 / 3, 12);
  });

  test('accepts another marker', async () => {
    expect(await score('format', { marker: 'A:' }, [row('work\nA: 18')])).toEqual([1]);
  });
});

describe('an invalid reward', () => {
  const bad = (scores: number[]) =>
    defineReward({
      id: 'bad',
      title: 'Bad',
      summary: 'For this test.',
      params: z.strictObject({}),
      scorer: () => () => Float64Array.from(scores),
    });

  test('that gives NaN is reported with the row', async () => {
    const scorer = await bad([1, Number.NaN]).open({}, {});
    expect(await rejected(scorer.score([row('a'), row('b')]))).toMatchObject({
      kind: 'numeric',
      message: expect.stringContaining('row 1'),
    });
  });

  test('that gives too few scores is reported with both counts', async () => {
    const scorer = await bad([1]).open({}, {});
    expect(await rejected(scorer.score([row('a'), row('b')]))).toMatchObject({
      kind: 'internal',
      message: expect.stringContaining('1 scores for 2 rows'),
    });
  });
});
