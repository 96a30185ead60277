import { mkdtemp, readFile, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { calls } from '../../../engine/process/calls.ts';
import { checkSpec } from '../../../engine/index.ts';
import type { RewardFault } from '../../../engine/schema/results.ts';
import { combine } from '../../../engine/rewards/combine.ts';
import { openStack } from '../../../engine/rewards/stack.ts';
import {
  checkpointOpener,
  openLikelihood,
  openTextScorer,
} from '../../../engine/rl/evaluation/model-scorers.ts';
import { runToEnd } from '../../../engine/rl/run/train.ts';
import { openDevice, type Device } from '../../../engine/runtime/index.ts';
import { pearson } from '../../../engine/evaluate/index.ts';
import { openWorldById } from '../../../engine/worlds/index.ts';
import type { RunSpecInput } from '../../../engine/schema/run-spec.ts';
import { rejected } from '../../support/errors.ts';
import { noResources, recorder, runToy, toyModel } from '../../support/toy-run.ts';

let device: Device;
let folder: string;
beforeAll(async () => {
  device = await openDevice({ id: 'cpu', threads: 1 });
  folder = await mkdtemp(join(tmpdir(), 'whetstone-judges-'));
});
afterAll(() => rm(folder, { recursive: true, force: true }));

const judge = async (
  name: string,
  spec: Pick<RunSpecInput, 'method' | 'task' | 'rewards'> & { readonly models?: RunSpecInput['models'] },
  heldout = 20,
): Promise<string> => {
  const { seen, events } = recorder();
  const outDir = join(folder, name);
  await runToEnd(
    {
      runId: name,
      attempt: 1,
      resources: noResources,
      outDir,
      spec: checkSpec({
        models: toyModel,
        ...spec,
        budget: { steps: 12, batch: 16 },
        sampling: { maxTokens: 4 },
        evaluation: { problems: heldout },
        seed: 1,
      }),
    },
    events,
    new AbortController().signal,
    device,
  );
  const saved = seen.findLast((event) => event.type === 'checkpoint');
  if (saved?.type !== 'checkpoint') throw new Error('nothing was saved');
  return saved.checkpoint.path;
};
const rowsOf = (completions: readonly string[], prompt: string) =>
  completions.map((completion) => ({
    promptId: 'p',
    prompt,
    completion,
    tokens: completion.length + 1,
    stopReason: 'end' as const,
  }));
const config = async (path: string): Promise<{ id2label: object }> =>
  JSON.parse(await readFile(join(path, 'config.json'), 'utf8'));

describe('judges, saved and opened as rewards', () => {
  test('an ensemble has one label per head, and its reward is the lower bound that it was trained for', async () => {
    const path = await judge('ensemble', {
      method: { id: 'ensemble-reward', params: { heads: 3, caution: 2 } },
      task: { kind: 'world', id: 'toy/pairs' },
    });
    expect(Object.keys((await config(path)).id2label)).toHaveLength(3);
    const scorer = await openTextScorer(device, path);
    const rows = rowsOf(['abc', 'aaa'], 'abc?');
    const own = await scorer.score(rows);
    const mean = await scorer.score(rows, { how: 'mean', caution: 1 });
    expect(own).toHaveLength(2);
    expect([...(await scorer.score(rows, { how: 'lower-bound', caution: 2 }))]).toEqual([...own]);
    own.forEach((score, r) => expect(score).toBeLessThan(mean[r]));
    const spec = checkSpec({
      method: { id: 'raft', params: { groupSize: 2 } },
      models: toyModel,
      task: { kind: 'world', id: 'toy/pairs' },
      budget: { steps: 2, batch: 2 },
      sampling: { maxTokens: 4 },
      evaluation: { problems: 0 },
      rewards: [
        { id: 'reward-model', params: { checkpointId: 'judge', combine: 'lower-bound', caution: 0.5 } },
      ],
    });
    const seen = await runToy(device, spec, { resources: { ...noResources, checkpoints: { judge: path } } });
    expect(
      seen.some((event) => event.type === 'metrics' && Number.isFinite(event.values['reward/mean'])),
    ).toBe(true);
  });

  test('several attributes form one head with a label for each scorer of the run', async () => {
    const path = await judge('attributes', {
      method: { id: 'multi-head-reward' },
      task: { kind: 'world', id: 'toy/pairs' },
      rewards: [{ id: 'verifier' }, { id: 'length' }],
    });
    expect(Object.keys((await config(path)).id2label)).toHaveLength(2);
    const scorer = await openTextScorer(device, path);
    const rows = rowsOf(['abc'], 'abc?');
    const [first, last, mean] = await Promise.all(
      (['first', 'last', 'mean'] as const).map(
        async (how) => (await scorer.score(rows, { how, caution: 1 }))[0],
      ),
    );
    expect(mean).toBeCloseTo((first + last) / 2, 6);
  });

  test('an outcome verifier gives one probability, a process verifier one for each step', async () => {
    const outcome = await openTextScorer(
      device,
      await judge('outcome', {
        method: { id: 'outcome-verifier' },
        task: { kind: 'world', id: 'toy/steps' },
      }),
    );
    const process = await openTextScorer(
      device,
      await judge('process', {
        method: { id: 'process-verifier', params: { combine: 'min' } },
        task: { kind: 'world', id: 'toy/steps' },
      }),
    );
    const rows = rowsOf(['a\nb\nc\n#', 'a', '', 'a\nb\nc\na\nb\nc\na\nb\nc\na\nb\nc\n#'], 'abc>');
    for (const scorer of [outcome, process])
      for (const value of await scorer.score(rows)) expect(value > 0 && value < 1).toBe(true);
    const one = rows.slice(0, 1);
    const [least] = await process.score(one);
    const [all] = await process.score(one, { how: 'product', caution: 1 });
    const [first] = await process.score(one, { how: 'first', caution: 1 });
    expect(all).toBeLessThan(least);
    expect(least).toBeLessThanOrEqual(first);
    // the score of a step depends only on the text up to its end
    expect(
      (await process.score(rowsOf(['a\na\na\n#'], 'abc>'), { how: 'first', caution: 1 }))[0],
    ).toBeCloseTo(first, 6);
  });
});

test(
  'a generative verifier generates its verdicts with a new tokenizer, and gives the probability of one ' +
    'against the other',
  async () => {
    const scorer = await openTextScorer(
      device,
      await judge('generative', {
        method: { id: 'generative-verdict', params: { right: 'X', wrong: 'YZ' } },
        task: { kind: 'world', id: 'toy/pairs' },
      }),
    );
    for (const value of await scorer.score(rowsOf(['aaa', 'abc', '', 'abcabcabcabcabcabcabcabcabc'], 'abc?')))
      expect(value > 0 && value < 1).toBe(true);
  },
);

describe('answers with characters that the vocabulary lacks', () => {
  const bytes = { policy: { ...toyModel.policy, tokenizer: { kind: 'bytes' } } } as const;

  test.each<[string, Parameters<typeof judge>[1]]>([
    [
      'bradley-terry',
      {
        method: { id: 'bradley-terry', params: { trunk: 'trained' } },
        task: { kind: 'world', id: 'toy/pairs' },
      },
    ],
    ['process-verifier', { method: { id: 'process-verifier' }, task: { kind: 'world', id: 'toy/steps' } }],
    [
      'generative-verdict',
      {
        method: { id: 'generative-verdict', params: { right: 'X', wrong: 'YZ' } },
        task: { kind: 'world', id: 'toy/pairs' },
      },
    ],
  ])('are scored without them by a judge of %s', async (id, spec) => {
    const scorer = await openTextScorer(device, await judge(`unread ${id}`, spec));
    expect([...(await scorer.score(rowsOf(['a€b\ufffdc!', '€'], 'abc')))]).toEqual([
      ...(await scorer.score(rowsOf(['abc', ''], 'abc'))),
    ]);
    expect(scorer.unread?.('a€b\ufffdc!€')).toBe('€!');
  });

  test('are scored without them by policies, also per line, and also if the line end is the missing character', async () => {
    const policy = await openLikelihood(
      device,
      await judge('unread policy', { method: { id: 'sft' }, task: { kind: 'world', id: 'toy/copy' } }, 0),
    );
    const [[odd], [plain]] = [
      await policy.score(rowsOf(['a\nb€'], 'ab>')),
      await policy.score(rowsOf(['ab'], 'ab>')),
    ];
    expect(odd).toBe(plain);
    const { values, offsets } = await policy.lines(rowsOf(['a\nb€'], 'ab>'));
    expect([[...offsets], values[0] + values[1]]).toEqual([[0, 2], plain]);
  });

  test('do not end a run: they are scored and reported with the missing characters', async () => {
    const path = await judge('unread in a run', {
      method: { id: 'bradley-terry', params: { trunk: 'trained' } },
      task: { kind: 'world', id: 'toy/pairs' },
    });
    const policy = await judge(
      'unread base',
      { method: { id: 'sft' }, task: { kind: 'world', id: 'toy/pairs' } },
      0,
    );
    const reference = { checkpointId: 'base' };
    const rewards = [
      { id: 'reward-model', params: { checkpointId: 'judge' } },
      ...['implicit-reward', 'implicit-process-reward'].map((id) => ({
        id,
        params: { checkpointId: 'base', reference },
      })),
    ];
    const spec = checkSpec({
      method: { id: 'grpo', params: { groupSize: 4 } },
      models: bytes,
      task: { kind: 'world', id: 'toy/pairs' },
      rewards,
      budget: { steps: 2, batch: 4 },
      sampling: { maxTokens: 4 },
      evaluation: { problems: 2, samples: 2 },
    });
    const seen = await runToy(device, spec, {
      resources: { ...noResources, checkpoints: { judge: path, base: policy } },
    });
    expect(seen.at(-1)?.type).not.toBe('failed');
    const faults = seen.flatMap((event) =>
      event.type === 'result' && event.kind === 'reward-fault' ? [event.value as RewardFault] : [],
    );
    expect(faults.length).toBeGreaterThan(0);
    expect(faults[0]).toMatchObject({
      scorer: 'reward-model',
      kind: 'unspelled',
      message: expect.stringContaining('alphabet of its model lacks'),
    });
    const metrics = seen.flatMap((event) =>
      event.type === 'metrics' && 'reward/mean' in event.values ? [event.values['reward/mean']] : [],
    );
    expect(metrics).toHaveLength(2);
    expect(metrics.every(Number.isFinite)).toBe(true);
  });

  test(
    'are scored without them by both policies even if one could encode them, so the missing character ' +
      'does not become the reward',
    async () => {
      const every = { policy: { ...toyModel.policy, tokenizer: { kind: 'bytes' } } } as const;
      const faults: RewardFault[] = [];
      const [wide, narrow] = [
        await judge(
          'unread wide',
          { method: { id: 'sft' }, models: every, task: { kind: 'world', id: 'toy/copy' } },
          0,
        ),
        await judge('unread narrow', { method: { id: 'sft' }, task: { kind: 'world', id: 'toy/copy' } }, 0),
      ];
      for (const [trained, reference] of [
        ['wide', 'narrow'],
        ['narrow', 'wide'],
      ])
        for (const id of ['implicit-reward', 'implicit-process-reward']) {
          const stack = await openStack(
            [{ id, params: { checkpointId: trained, reference: { checkpointId: reference } }, weight: 1 }],
            {
              report: (found) => faults.push(...found),
              policy: checkpointOpener(
                device,
                { ...noResources, checkpoints: { wide, narrow } },
                openLikelihood,
              ),
            } as Parameters<typeof openStack>[1],
          );
          const {
            total: [odd, plain],
          } = await stack.score(rowsOf(['a€b!', 'ab'], 'ab>'));
          expect(odd).toBe(plain);
          expect(faults.splice(0)).toMatchObject([
            { scorer: id, kind: 'unspelled', message: expect.stringContaining('"€!"') },
          ]);
        }
    },
  );

  test('are rejected when a user asks for their score', async () => {
    const checkpoint = await judge('unread asked', {
      method: { id: 'bradley-terry', params: { trunk: 'trained' } },
      task: { kind: 'world', id: 'toy/pairs' },
    });
    expect(
      await rejected(
        calls.score({
          checkpoint,
          items: [
            { prompt: 'abc?', completion: 'abc' },
            { prompt: 'abc?', completion: 'a€' },
          ],
        }),
      ),
    ).toMatchObject({ kind: 'invalid-input', message: expect.stringContaining('"€"') });
  });
});

test('combines several scores into one', () => {
  const of = (how: Parameters<typeof combine>[0]['how'], caution = 1) =>
    combine({ how, caution }, Float64Array.of(0.5, 0.25, 0.75));
  expect([of('first'), of('last'), of('mean'), of('min'), of('product'), of('lower-bound', 2)]).toEqual([
    0.5, 0.75, 0.5, 0.25, 0.09375, 0,
  ]);
  expect(combine({ how: 'lower-bound', caution: 3 }, Float64Array.of(0.5))).toBe(0.5);
});

describe('removing the effect of length', () => {
  const task = { kind: 'world', id: 'arithmetic', params: {} } as const;
  const models = {
    policy: {
      kind: 'new',
      architecture: { width: 32, layers: 1, heads: 2, context: 96 },
      tokenizer: { kind: 'characters' },
    },
  } as const;
  const opened = (path: string, params = {}) =>
    openStack(
      [{ id: 'reward-model', weight: 1, params: { checkpointId: 'judge', debias: true, ...params } }],
      {
        checkpoint: checkpointOpener(
          device,
          { ...noResources, checkpoints: { judge: path } },
          openTextScorer,
        ),
      },
    );

  test.each(['outcome-verifier', 'process-verifier', 'generative-verdict'])(
    '%s: a judge trained on single answers is corrected by a regression on its held-out answers',
    async (id) => {
      const path = await judge(`debias ${id}`, { method: { id }, task, models });
      const scorer = await openTextScorer(device, path);
      const world = openWorldById(task.id, task.params);
      const heldout = Array.from({ length: 20 }, (_, i) => world.demonstration(i, 1, 'heldout'));
      const rows = heldout.map(({ promptId, prompt, answer }) => ({
        promptId,
        prompt,
        completion: answer,
        tokens: [...answer].length + 1,
        stopReason: 'end' as const,
      }));
      const { total, raw } = await (await opened(path)).score(rows);
      const lengths = rows.map(({ tokens }) => tokens);
      expect(new Set(lengths).size).toBeGreaterThan(3);
      expect([...raw['reward-model/raw']]).toEqual([...(await scorer.score(rows))]);
      expect(Math.abs(pearson(lengths, total))).toBeLessThan(1e-6);
      expect(Math.abs(total.reduce((a, b) => a + b, 0))).toBeLessThan(1e-4);
      expect(await rejected(opened(path, { combine: 'min' }))).toMatchObject({
        kind: 'unsupported',
        where: 'rewards.0.params.combine',
      });
    },
  );

  test('rejects a judge without held-out answers', async () => {
    const path = await judge(
      'debias none',
      { method: { id: 'outcome-verifier' }, task: { kind: 'world', id: 'toy/steps' } },
      0,
    );
    expect(await rejected(opened(path))).toMatchObject({
      kind: 'unsupported',
      where: 'rewards.0.params.debias',
    });
  });
});
