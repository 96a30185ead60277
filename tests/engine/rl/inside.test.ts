/** Credit of the parts of an answer, with a judge that the engine trains. */
import { mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { checkSpec, principalPlane } from '../../../engine/index.ts';
import { calls } from '../../../engine/process/calls.ts';
import { ranks } from '../../../engine/evaluate/index.ts';
import { openTextScorer, type OpenedJudge } from '../../../engine/rl/evaluation/model-scorers.ts';
import { runToEnd } from '../../../engine/rl/run/train.ts';
import { insideAnswer } from '../../../engine/rl/tools/inside.ts';
import { represent } from '../../../engine/rl/tools/represent.ts';
import { answerSteps, stepScores } from '../../../engine/rl/tools/step-scores.ts';
import { openDevice, type Device } from '../../../engine/runtime/index.ts';
import type { RunSpecInput } from '../../../engine/schema/run-spec.ts';
import { rejected } from '../../support/errors.ts';
import { noResources, recorder, toyModel } from '../../support/toy-run.ts';

let device: Device;
let folder: string;
let path: string;
let judge: OpenedJudge;

const trained = async (name: string, spec: Pick<RunSpecInput, 'method' | 'task'>): Promise<string> => {
  const { seen, events } = recorder();
  await runToEnd(
    {
      runId: name,
      attempt: 1,
      resources: noResources,
      outDir: join(folder, name),
      spec: checkSpec({ models: toyModel, ...spec, budget: { steps: 12, batch: 16 }, seed: 1 }),
    },
    events,
    new AbortController().signal,
    device,
  );
  const saved = seen.findLast((event) => event.type === 'checkpoint');
  if (saved?.type !== 'checkpoint') throw new Error('nothing was saved');
  return saved.checkpoint.path;
};

beforeAll(async () => {
  device = await openDevice({ id: 'cpu', threads: 1 });
  folder = await mkdtemp(join(tmpdir(), 'whetstone-inside-'));
  path = await trained('judge', {
    method: { id: 'bradley-terry', params: { trunk: 'trained' } },
    task: { kind: 'world', id: 'toy/pairs' },
  });
  judge = await openTextScorer(device, path);
});
afterAll(() => rm(folder, { recursive: true, force: true }));

const scoreOf = async (prompt: string, completion: string): Promise<number> => {
  const rows = [{ promptId: 'p', prompt, completion, tokens: 1, stopReason: 'end' as const }];
  return (await judge.score(rows))[0];
};

describe('credit of the parts of an answer', () => {
  test('is the change of the score from prefix to prefix, and sums to the score less that of no answer', async () => {
    const [prompt, completion] = ['abc?', 'abcab'];
    const found = await insideAnswer(judge, { prompt, completion });
    expect(found.unit).toBe('tokens');
    expect(found.units.map(({ text }) => text)).toEqual([...completion]);
    expect(found.score).toBeCloseTo(await scoreOf(prompt, completion), 5);
    expect(found.empty).toBeCloseTo(await scoreOf(prompt, ''), 5);
    const sum = found.units.reduce((total, { credit }) => total + credit, 0);
    expect(sum).toBeCloseTo(found.score - found.empty, 5);
    for (const [at, { prefix, deletion }] of found.units.entries()) {
      expect(prefix).toBeCloseTo(await scoreOf(prompt, completion.slice(0, at + 1)), 5);
      const without = completion.slice(0, at) + completion.slice(at + 1);
      expect(deletion).toBeCloseTo(found.score - (await scoreOf(prompt, without)), 5);
    }
  });

  test('in one pass is the change of the head’s number from token to token', async () => {
    const [prompt, completion] = ['abc?', 'cab'];
    const { units } = await insideAnswer(judge, { prompt, completion });
    const head = [judge.tokenizer.begin ?? NaN, ...judge.tokenizer.encode(prompt)];
    const answer = [...judge.tokenizer.encode(completion)];
    // the model is causal: the number at a token is the score of the sequence that ends there
    const rows = Array.from({ length: answer.length + 1 }, (_none, k) => [...head, ...answer.slice(0, k)]);
    const scores: number[] = [];
    for (const row of rows) {
      const offsets = Uint32Array.of(0, row.length);
      scores.push((await judge.live.scores({ axis: 'T', values: Int32Array.from(row), offsets }))[0]);
    }
    units.forEach(({ state }, at) => expect(state).toBeCloseTo(scores[at + 1] - scores[at], 4));
  });

  test('agrees with deletion by the correlation of the ranks, undefined below three parts or if constant', async () => {
    const found = await insideAnswer(judge, { prompt: 'abc?', completion: 'abcabca' });
    const of = (key: 'credit' | 'deletion') => ranks(found.units.map((unit) => unit[key]));
    const [x, y] = [of('credit'), of('deletion')];
    const n = x.length;
    // without ties: 1 − 6 Σd² / (n (n² − 1))
    const squares = x.reduce((total, rank, at) => total + (rank - y[at]) ** 2, 0);
    expect(found.agreement.credit).toBeCloseTo(1 - (6 * squares) / (n * (n * n - 1)), 10);
    const short = await insideAnswer(judge, { prompt: 'abc?', completion: 'ab' });
    expect(short.agreement).toEqual({ credit: null, state: null });
    const none = await insideAnswer(judge, { prompt: 'abc?', completion: '' });
    expect(none).toMatchObject({ units: [], agreement: { credit: null } });
    expect(none.score).toBe(none.empty);
  });

  test('is given to parts that join to the answer; too many of them are refused', async () => {
    const spaced: OpenedJudge = {
      ...judge,
      tokenizer: {
        ...judge.tokenizer,
        ends: [],
        encode: (text) => Int32Array.from(text, (character) => character.codePointAt(0) ?? 0),
        decode: (ids) => String.fromCodePoint(...Array.from(ids)),
      },
      output: { kind: 'verdict', right: 'y', wrong: 'n', how: 'first', caution: 1 },
      score: async (rows) => Float64Array.from(rows, ({ completion }) => completion.length),
    };
    const completion = ' One two.  Three four! Five\n';
    for (const unit of ['words', 'sentences', 'steps'] as const) {
      const found = await insideAnswer(spaced, { prompt: '', completion, unit });
      expect(found.unit).toBe(unit);
      expect(found.units.map(({ text }) => text).join('')).toBe(completion);
      // this score is the length, so that a part's credit and deletion are its length
      for (const { text, credit, deletion, state } of found.units)
        expect([credit, deletion, state]).toEqual([text.length, text.length, null]);
    }
    const long = 'word '.repeat(200);
    expect((await insideAnswer(spaced, { prompt: '', completion: `${long}. Two. Three.` })).unit).toBe(
      'sentences',
    );
    const error = await rejected(
      insideAnswer(spaced, { prompt: '', completion: 'w '.repeat(600), unit: 'words' }),
    );
    expect(error).toMatchObject({ kind: 'invalid-input', where: 'unit' });
  });
});

describe('calls of the engine', () => {
  test('look inside, and refuse an answer beyond the context', async () => {
    const found = await calls.inside({ checkpoint: path, prompt: 'abc?', completion: 'abc' });
    expect(found.score).toBeCloseTo(await scoreOf('abc?', 'abc'), 5);
    const error = await rejected(
      calls.inside({ checkpoint: path, prompt: 'abc?', completion: 'a'.repeat(9999) }),
    );
    expect(error.message).toContain('tokens; the model reads');
  });
});

describe('representations', () => {
  const items = ['abc', '', 'cab', 'a'.repeat(9999), 'abc'].map((completion) => ({
    prompt: 'abc?',
    completion,
  }));

  test('are what the head reads: the head’s product with them is the score, of a cut answer too', async () => {
    const { values, width, cut } = await represent(judge, items);
    expect(cut).toBe(1);
    expect(values).toHaveLength(items.length * width);
    const head = judge.live.parameters.view('score.weight');
    expect(head).toHaveLength(width);
    for (const [at, { prompt, completion }] of items.entries()) {
      const product = head.reduce((sum, weight, f) => sum + weight * values[at * width + f], 0);
      expect(Math.abs(product - (await scoreOf(prompt, completion)))).toBeLessThan(1e-5);
    }
    const row = (at: number) => [...values.subarray(at * width, (at + 1) * width)];
    expect(row(0)).toEqual(row(4));
    expect(row(0)).not.toEqual(row(2));
    expect(await represent(judge, [])).toMatchObject({ width: 0, cut: 0 });
  });

  test('are placed in their principal plane with their neighbours, and the work can be cancelled', async () => {
    const shares: number[] = [];
    const found = await calls.judgeMap({ checkpoint: path, items, neighbours: 2 }, undefined, ({ share }) =>
      shares.push(share),
    );
    const { values, width } = await represent(judge, items);
    expect(found).toMatchObject({ width, cut: 1, k: 2 });
    const plane = await principalPlane({ values, width });
    expect([...found.x]).toEqual([...plane.x]);
    expect(found.neighbours[0]).toBe(4);
    expect(found.cosines[0]).toBeCloseTo(1, 6);
    expect(shares.every((share) => share >= 0 && share <= 1)).toBe(true);
    expect(shares.length).toBeGreaterThan(0);
    const error = await rejected(
      calls.judgeMap({ checkpoint: path, items, neighbours: 2 }, AbortSignal.abort()),
    );
    expect(error.kind).toBe('cancelled');
  });
});

describe('scores of steps', () => {
  test('are the scores of the answer up to each step, where a judge scores whole answers', async () => {
    const steps = ['abc', 'ca'];
    const read: OpenedJudge = {
      ...judge,
      room: ({ completion }) => ({ tokens: completion.length, context: 8 }),
      score: async (rows) => Float64Array.from(rows, ({ completion }) => completion.length),
    };
    expect(
      await stepScores(read, [
        { prompt: '', steps },
        { prompt: '', steps: ['x', 'y'.repeat(9)] },
      ]),
    ).toEqual([
      { by: 'prefix', scores: [3, 7] },
      { by: 'prefix', scores: [1, null] },
    ]);
  });

  test('are probabilities at the end of each step of a judge of steps', async () => {
    const steps = await openTextScorer(
      device,
      await trained('steps', {
        method: { id: 'process-verifier' },
        task: { kind: 'world', id: 'arithmetic' },
      }),
    );
    const [{ by, scores }] = await stepScores(steps, [{ prompt: '12+3=?', steps: ['12+3', '15'] }]);
    expect(by).toBe('head');
    expect(scores).toHaveLength(2);
    // the first line of a worked answer is a step of it
    const own = await steps.score([
      { promptId: 'p', prompt: '12+3=?', completion: '12+3\n15', tokens: 7, stopReason: 'end' },
    ]);
    expect(scores[0]).toBeCloseTo(own[0], 5);
    expect(scores.every((score) => score !== null && score > 0 && score < 1)).toBe(true);

    const completion = '12+3\n\n15';
    const ranges = [
      [0, 4],
      [6, 8],
    ] as const;
    const both = await answerSteps(steps, { prompt: '12+3=?', completion, ranges });
    expect(both.head).toEqual(scores);
    const whole = { promptId: 'p', prompt: '12+3=?', completion, tokens: 8, stopReason: 'end' as const };
    expect(both.prefix[1]).toBeCloseTo((await steps.score([whole]))[0], 5);
    expect(await answerSteps(steps, { prompt: '12+3=?', completion: '', ranges: [] })).toEqual({
      prefix: [],
      head: null,
    });
  });

  test('of one answer are those of its own prefixes, null beyond the context', async () => {
    const read: OpenedJudge = {
      ...judge,
      room: ({ completion }) => ({ tokens: completion.length, context: 8 }),
      score: async (rows) => Float64Array.from(rows, ({ completion }) => completion.length),
    };
    const ranges = [
      [0, 3],
      [4, 7],
      [8, 11],
    ] as const;
    const found = await answerSteps(read, { prompt: '', completion: 'One two six', ranges });
    expect(found).toEqual({ prefix: [3, 7, null], head: null });
  });
});
