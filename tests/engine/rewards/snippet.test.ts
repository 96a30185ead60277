import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { calls } from '../../../engine/process/calls.ts';
import { checkSpec } from '../../../engine/index.ts';
import { runToEnd } from '../../../engine/rl/run/train.ts';
import { preflight } from '../../../engine/rl/tools/preflight.ts';
import { openDevice, type Device } from '../../../engine/runtime/index.ts';
import { theSandbox } from '../../../engine/sandbox/index.ts';
import type { AnswerRow } from '../../../engine/rewards/index.ts';
import type { RewardFault } from '../../../engine/schema/results.ts';
import { openStack } from '../../../engine/rewards/stack.ts';
import type { RunSpecInput } from '../../../engine/schema/run-spec.ts';
import { caught, rejected } from '../../support/errors.ts';
import { found, noResources, recorder, runToy, toyModel, type Seen } from '../../support/toy-run.ts';

let device: Device;
beforeAll(async () => {
  device = await openDevice({ id: 'cpu', threads: 1 });
});
afterAll(async () => {
  await device.close();
  await theSandbox().close();
});

const row = (completion: string, rest: Partial<AnswerRow> = {}): AnswerRow => ({
  promptId: 'p',
  prompt: '1+2=?',
  completion,
  reference: '3',
  tokens: completion.length + 1,
  stopReason: 'end',
  ...rest,
});
const stack = (params: Record<string, unknown>, faults: RewardFault[] = []) =>
  openStack([{ id: 'snippet', weight: 1, params }], { report: (all) => faults.push(...all) });
const scored = async (code: string, rows: readonly AnswerRow[], params: Record<string, unknown> = {}) =>
  (await stack({ code, ...params })).score(rows);

describe('a code snippet as reward', () => {
  test('gives equal rows their value once, and reports each of them that fails', async () => {
    const faults: RewardFault[] = [];
    const rows = [row('3'), row('x'), row('3'), row('x')];
    const code = '(row) => { if (row.completion === "x") throw new Error("no"); return row.tokens; }';
    const { total } = await (await stack({ code, onError: 'score', errorScore: -1 }, faults)).score(rows);
    expect(Array.from(total)).toEqual([2, -1, 2, -1]);
    expect(faults.map(({ completion }) => completion)).toEqual(['x', 'x']);
  });

  test('receives the row and nothing else', async () => {
    const code =
      '(row) => { if (Object.keys(row).join() !== "prompt,completion,reference,tokens,ended") throw new ' +
      'Error(Object.keys(row).join()); return row.tokens + (row.ended ? 100 : 0) + (row.completion === ' +
      'row.reference ? 1000 : 0); }';
    expect(
      Array.from(
        (await scored(code, [row('3'), row('33', { stopReason: 'length' }), row('4', { reference: null })]))
          .total,
      ),
    ).toEqual([1102, 3, 102]);
  });

  test.each([
    ['() => { throw new Error("oh no") }', 'threw', 'Error: oh no'],
    ['() => NaN', 'not-a-number', 'It returned NaN, which is not a finite number.'],
    ['() => Infinity', 'not-a-number', 'It returned Infinity, which is not a finite number.'],
    ['() => "1"', 'not-a-number', 'It returned "1", which is not a finite number.'],
    ['() => null', 'not-a-number', 'It returned null, which is not a finite number.'],
    ['() => {}', 'not-data', 'It returned nothing (undefined).'],
    ['() => { for (;;) {} }', 'timeout', 'It did not end within 200 ms.'],
    ['() => fetch("https://example.org")', 'threw', 'ReferenceError: fetch is not defined'],
    [
      '() => require("node:fs").readFileSync("/etc/passwd")',
      'threw',
      'ReferenceError: require is not defined',
    ],
    ['(row) =>', 'syntax', 'SyntaxError'],
  ])(
    '%s: the run stops and reports the sample, or continues with the chosen score',
    async (code, kind, message) => {
      const faults: RewardFault[] = [];
      const params = { code, timeMs: 200 };
      const error = await rejected((await stack(params, faults)).score([row('four')]));
      expect(error).toMatchObject({ kind: 'invalid-input', where: 'rewards: snippet.code' });
      for (const part of [kind, message, '"four"', '"1+2=?"']) expect(error.message).toContain(part);
      expect(faults).toMatchObject([{ scorer: 'snippet', kind, prompt: '1+2=?', completion: 'four' }]);

      const { total, raw } = await (
        await stack({ ...params, onError: 'score', errorScore: -2 }, faults)
      ).score([row('four')]);
      expect([Array.from(total), Array.from(raw['snippet/failed'])]).toEqual([[-2], [1]]);
      expect(faults[1]).toEqual(faults[0]);
      expect(Array.from((await scored('(row) => 7', [row('x')])).total)).toEqual([7]);
    },
  );

  test('records which rows failed and scores the others', async () => {
    const code = '(row) => { if (row.completion === "b") throw new Error("b"); return 1; }';
    const { total, raw } = await scored(
      code,
      ['a', 'b', 'c'].map((text) => row(text)),
      { onError: 'score' },
    );
    expect(Array.from(total)).toEqual([1, 0, 1]);
    expect(Array.from(raw['snippet/failed'])).toEqual([0, 1, 0]);
  });

  test('can be tried on demonstrations of a world, with its printed output', async () => {
    const tried = await calls.trySnippet({
      code:
        '(row) => { console.log(row.reference); if (row.completion !== row.reference) throw new ' +
        'Error("wrong"); return row.tokens; }',
      world: { id: 'toy/copy', params: {} },
    });
    expect(tried).toHaveLength(5);
    for (const { prompt, completion, value, error, log } of tried) {
      expect(log).toBe(prompt.slice(0, -1));
      expect([value, error?.message]).toEqual(
        completion === prompt.slice(0, -1) ? [3, undefined] : [null, 'Error: wrong'],
      );
    }
    expect(new Set(tried.map(({ value }) => value)).size).toBe(2);
  });

  test('is rejected with its path if it is too long or not text', () => {
    const spec = (code: unknown): RunSpecInput => ({
      ...toySpec('(row) => 1'),
      rewards: [{ id: 'snippet', params: { code } }],
    });
    expect(caught(() => checkSpec(spec('x'.repeat(20_001)))).where).toBe('rewards.0.params.code');
    expect(caught(() => checkSpec(spec(7))).where).toBe('rewards.0.params.code');
  });
});

const toySpec = (code: string, params: Record<string, unknown> = {}): RunSpecInput => ({
  method: { id: 'grpo' },
  models: toyModel,
  task: { kind: 'world', id: 'toy/copy' },
  rewards: [{ id: 'snippet', params: { code, ...params } }],
  optimizer: { learningRate: 3e-3 },
  budget: { steps: 3, batch: 4 },
  sampling: { maxTokens: 4 },
  evaluation: { problems: 4, samples: 2 },
  seed: 1,
});
const faultsOf = (seen: readonly Seen[]) =>
  seen.filter((event) => event.type === 'result' && event.kind === 'reward-fault');

describe('a run whose snippet fails on some answers', () => {
  const failing =
    '(row) => { if (row.completion[0] === row.prompt[0]) throw new Error("cannot say"); return ' +
    'row.completion.length; }';

  test('continues if its spec allows it, and reports sample rows and the number of failures', async () => {
    const seen = await runToy(device, checkSpec(toySpec(failing, { onError: 'score', errorScore: -1 })));
    expect(faultsOf(seen).length).toBeGreaterThan(0);
    expect(faultsOf(seen)[0]).toMatchObject({
      value: {
        scorer: 'snippet',
        kind: 'threw',
        message: 'Error: cannot say',
        prompt: expect.any(String),
        completion: expect.any(String),
      },
    });
    const failed = seen
      .flatMap((event) => (event.type === 'trajectories' ? event.rows : []))
      .filter((each) => each.scores['snippet/failed'] === 1);
    expect(failed.length).toBeGreaterThanOrEqual(faultsOf(seen).length);
    for (const { scores, completion, prompt } of failed)
      expect([scores.snippet, completion[0]]).toEqual([-1, prompt[0]]);
    expect(found(seen, 'reward/snippet/failed')).toBeGreaterThanOrEqual(0);
  });

  test('stops if its spec requires it, after reporting the sample', async () => {
    const { seen, events } = recorder();
    const run = runToEnd(
      { runId: 'stopped', attempt: 1, spec: checkSpec(toySpec(failing)), resources: noResources, outDir: '' },
      events,
      new AbortController().signal,
      device,
    );
    expect(await rejected(run)).toMatchObject({
      kind: 'invalid-input',
      where: 'rewards: snippet.code',
      message: expect.stringContaining('cannot say'),
    });
    expect(faultsOf(seen)).toHaveLength(1);
  });

  test('is measured before launch on made-up answers, whose failures do not stop it', async () => {
    expect(
      (
        await preflight({
          spec: checkSpec(toySpec('() => { throw new Error("always") }')),
          resources: noResources,
        })
      ).fits,
    ).toBe(true);
  });
});
