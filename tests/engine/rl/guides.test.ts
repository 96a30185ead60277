import { describe, expect, test } from 'vitest';
import type { Answers, ModelPort, PerToken } from '../../../engine/rl/kernel/columns.ts';
import { broadcast, ragged, rowCount, rowOf, type Table } from '../../../engine/rl/kernel/rows.ts';
import * as part from '../../../engine/rl/parts/index.ts';
import { answersOf, runPart } from '../../support/run-part.ts';

/** A writer that appends its own token until an answer has five tokens, its prompt being one token. */
const writerOf =
  (
    token: number,
    asked: { limits?: ArrayLike<number> | undefined; temperature?: number | undefined }[] = [],
  ): ModelPort['sample'] =>
  async (starts, _problem, _sample, how) => {
    asked.push({ limits: how?.limits, temperature: how?.temperature });
    const rows = Array.from({ length: rowCount(starts) }, (_none, r) => [...rowOf(starts, r)]);
    const whole = rows.map((row) => [...row, ...new Array<number>(6 - row.length).fill(token)]);
    return {
      tokens: ragged(whole, Int32Array),
      mask: ragged(whole, Uint8Array, (row, r) => row.map((_token, t) => Number(t >= rows[r].length))),
      behaviorLogp: ragged(whole, Float32Array, (row, r) =>
        row.map((_t, t) => (t >= rows[r].length ? -token : 0)),
      ),
      completion: whole.map((row, r) => row.slice(rows[r].length).join('')),
      ended: new Float64Array(whole.length).fill(1),
    } satisfies Answers;
  };
const [OWN, GUIDE] = [1, 2];
const prompts: Table = {
  promptId: Float64Array.from({ length: 40 }, (_, p) => p),
  problem: Array.from({ length: 40 }, (_, p) => ({ promptId: String(p), prompt: '?', reference: null })),
  prompt: ragged(
    Array.from({ length: 40 }, () => [0]),
    Int32Array,
  ),
};
const text = { decode: (ids: ArrayLike<number>) => Array.from(ids).join(''), maxTokens: 5 } as never;
const written = async (
  use: part.GuideUse,
  more: { readonly share?: number; readonly progress?: number } = {},
) => {
  const { share = 1, progress = 0 } = more;
  const table = await runPart(part.sampleWithGuide({ use, share, until: 0.5 }), prompts, {
    text,
    progress,
    sample: writerOf(OWN),
    ports: { 'model/guide': { sample: writerOf(GUIDE) } },
  });
  return Array.from({ length: 40 }, (_, r) => ({
    text: (table.completion as readonly string[])[r],
    tokens: [...rowOf(table.tokens as PerToken<Int32Array>, r)].slice(1),
    mask: [...rowOf(table.mask as PerToken<Uint8Array>, r)].slice(1),
    logp: [...rowOf(table.behaviorLogp as PerToken, r)].slice(1),
  }));
};

describe('RLGF', () => {
  test('PPO++: the guide writes a prefix, the policy goes on, and learns its own tokens alone', async () => {
    const rows = await written('prefix');
    for (const { tokens, mask, text: whole, logp } of rows) {
      expect(tokens.map((token) => Number(token === OWN))).toEqual(mask);
      expect(logp.map((l) => l === -OWN)).toEqual(mask.map((m) => m === 1));
      expect(whole).toBe(tokens.join(''));
      expect(whole).toMatch(/^2*1+$/);
    }
    // cuts at all places, 0 to 4 tokens of the guide
    expect(new Set(rows.map(({ mask }) => mask.indexOf(1)))).toEqual(new Set([0, 1, 2, 3, 4]));
    const none = await written('prefix', { share: 0 });
    expect(none.every(({ text: whole }) => whole === '11111')).toBe(true);
  });

  test('AggreVaTeD: the guide completes the policy’s answer behind one token, which alone is trained', async () => {
    const rows = await written('rollout');
    for (const { mask, tokens, text: whole } of rows) {
      expect(mask.reduce((a, b) => a + b, 0)).toBe(1);
      const step = mask.indexOf(1);
      expect(tokens.map((token) => token === OWN)).toEqual(tokens.map((_, t) => t <= step));
      expect(whole).toBe(tokens.join(''));
    }
    expect(new Set(rows.map(({ mask }) => mask.indexOf(1))).size).toBe(5);
  });

  test('D²LOLS: rolls out with the guide first, then in', async () => {
    const ones = (rows: Awaited<ReturnType<typeof written>>) =>
      rows.map(({ mask }) => mask.filter(Boolean).length);
    expect(new Set(ones(await written('rollout-first', { progress: 0.4 })))).toEqual(new Set([1]));
    expect(Math.max(...ones(await written('rollout-first', { progress: 0.6 })))).toBe(5);
  });
});

describe('weak-to-strong: a student trusts its own verdicts more and more', () => {
  test('its verdict is 1 above the batch’s median score', () => {
    expect([...part.aboveMedian([3, 1, 2, 5])]).toEqual([1, 0, 0, 1]);
    expect([...part.aboveMedian([3, 1, 2])]).toEqual([1, 0, 0]);
    expect([...part.aboveMedian([2, 2])]).toEqual([0, 0]);
    expect([...part.aboveMedian([])]).toEqual([]);
  });

  test('the mixed target gives the auxiliary confidence loss', async () => {
    const scores = [2, -1, 0.5, -3];
    const table: Table = { ...answersOf(4), 'reward/total': Float64Array.of(0, 0, 1, 1) };
    const at = async (progress: number) =>
      (
        await runPart(part.trustOwn({ most: 0.5, warmup: 0.2 }), table, {
          progress,
          ports: { 'model/policy': { scores: async () => Float64Array.from(scores) } },
        })
      )['reward/total'] as Float64Array;
    expect([...(await at(0))]).toEqual([0, 0, 1, 1]);
    expect([...(await at(0.1))]).toEqual([0.25, 0, 1, 0.75]);
    const mixed = await at(1);
    const entropy = (target: number, s: number) =>
      target * Math.log1p(Math.exp(-s)) + (1 - target) * Math.log1p(Math.exp(s));
    const own = [1, 0, 1, 0];
    scores.forEach((s, r) =>
      expect(entropy(mixed[r], s)).toBeCloseTo(
        0.5 * entropy([0, 0, 1, 1][r], s) + 0.5 * entropy(own[r], s),
        12,
      ),
    );
  });
});

test('AEPO draws hot answers below its entropy and cold ones above, as rows of their own', async () => {
  const asked: { temperature?: number | undefined }[] = [];
  const table: Table = {
    problem: [0, 0, 1, 1].map((p) => ({ promptId: String(p), prompt: '?', reference: null })),
    prompt: ragged([[0], [0], [0], [0]], Int32Array),
    groupId: Float64Array.of(0, 0, 1, 1),
    sample: Float64Array.of(0, 1, 0, 1),
    weight: new Float64Array(4).fill(1),
    ...answersOf(4),
    behaviorLogp: ragged(
      [
        [0, -1],
        [0, -1],
        [0, -1],
        [0, -1],
      ],
      Float32Array,
    ),
    completion: ['a', 'b', 'c', 'd'],
    ended: new Float64Array(4).fill(1),
  };
  const drawn = (entropy: number) =>
    runPart(part.addTempered({ tempered: 3, target: 0.5, high: 1.4, low: 0.7 }), table, {
      sample: writerOf(OWN, asked),
      ports: {
        'model/policy': {
          entropy: async (tokens: PerToken<Int32Array>) =>
            broadcast(
              [0, 1, 2, 3].map(() => entropy),
              { ...tokens, values: new Uint8Array(tokens.values.length).fill(1) },
            ),
          logp: async (tokens: PerToken<Int32Array>) => ({
            ...tokens,
            values: new Float32Array(tokens.values.length).fill(-0.5),
          }),
        },
      },
    });
  const mixed = await drawn(0.2);
  await drawn(0.9);
  expect(asked.map(({ temperature }) => temperature)).toEqual([1.4, 0.7]);
  expect([...(mixed['row/fresh'] as Float64Array)]).toEqual([1, 1, 1, 1, 0, 0, 0, 0, 0, 0]);
  expect([...(mixed.groupId as Float64Array)]).toEqual([0, 0, 1, 1, -1, -1, -1, -2, -2, -2]);
  const samples = [...(mixed.sample as Float64Array)];
  expect(new Set([0, 1, 4, 5, 6].map((r) => samples[r])).size).toBe(5);
  const weighed = await runPart(part.weighFresh, mixed);
  expect([...(weighed.weight as Float64Array)]).toEqual([1, 1, 1, 1, 0, 0, 0, 0, 0, 0]);
});

test('OREAL: tokens that the judge finds good are imitated in right answers, bad ones penalized in wrong', async () => {
  const logit = (p: number) => Math.log(p / (1 - p));
  const mask = ragged(
    [
      [1, 1],
      [1, 1],
      [1, 1],
      [1, 1],
    ],
    Uint8Array,
  );
  const scores = [0.75, 0.25].map(logit);
  const table: Table = {
    mask,
    groupId: new Float64Array(4),
    'reward/total': Float64Array.of(1, 0, 0, 0),
    'credit/scores': ragged([scores, scores, scores, scores], Float64Array),
  };
  const rated = await runPart(part.successRate, table);
  expect([...(rated['row/success'] as Float64Array)]).toEqual([0.25, 0.25, 0.25, 0.25]);
  const credit = (await runPart(part.outcomeCredit({ penalty: 2, even: 0 }), rated)).advantage as PerToken;
  // right: 2 · .75 − 1 on the good token; wrong: 1 − 2 · .25 on the bad one, times 2 · (1 − ¼)
  [0.5, 0, 0, -0.75].forEach((a, at) => expect(credit.values[at]).toBeCloseTo(a, 9));
});
