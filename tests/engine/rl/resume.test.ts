import { mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { checkSpec } from '../../../engine/index.ts';
import { readCheckpoint, writeCheckpoint, type Checkpoint } from '../../../engine/models/checkpoint.ts';
import type { Method } from '../../../engine/rl/kernel/method.ts';
import { methodOf } from '../../../engine/rl/methods/index.ts';
import { runToEnd } from '../../../engine/rl/run/train.ts';
import { openDevice, type Device } from '../../../engine/runtime/index.ts';
import type { RunSpec, RunSpecInput } from '../../../engine/schema/run-spec.ts';
import { echo } from '../../support/echo.ts';
import { remembers } from '../../support/remembers.ts';
import { noResources, recorder, toyModel, toyModels, type Seen } from '../../support/toy-run.ts';

let device: Device;
let folder: string;
beforeAll(async () => {
  device = await openDevice({ id: 'cpu', threads: 1 });
  folder = await mkdtemp(join(tmpdir(), 'whetstone-resume-'));
});
afterAll(() => rm(folder, { recursive: true, force: true }));

const run = async (
  spec: RunSpec,
  attempt: number,
  {
    resumeFrom,
    stopAfter = Infinity,
    method,
    on = device,
  }: { resumeFrom?: string; stopAfter?: number; method?: Method; on?: Device } = {},
): Promise<{ seen: Seen[]; outcome: string }> => {
  const { seen, events } = recorder();
  const stop = new AbortController();
  const outcome = await runToEnd(
    { runId: 'r', attempt, spec, resources: noResources, outDir: join(folder, spec.name), resumeFrom },
    {
      emit: async (body, at) => {
        await events.emit(body, at);
        if (body.type === 'metrics' && (at?.step ?? 0) >= stopAfter) stop.abort();
      },
    },
    stop.signal,
    on,
    { method },
  );
  return { seen, outcome };
};

const pathOf = (seen: readonly Seen[]): string => {
  const saved = seen.findLast((event) => event.type === 'checkpoint');
  if (saved?.type !== 'checkpoint') throw new Error('no checkpoint was reported');
  return saved.checkpoint.path;
};

const adamw = { learningRate: 3e-3, schedule: 'cosine', weightDecay: 0.1 } as const;
const copy = { kind: 'world', id: 'toy/copy' } as const;
const pairs = { kind: 'world', id: 'toy/pairs' } as const;

describe.each<
  [string, RunSpecInput['method'], RunSpecInput['task'], number, RunSpecInput['optimizer'], Method?]
>([
  ['sft', { id: 'sft' }, copy, 4, adamw],
  ['sft with Muon and dropout', { id: 'sft' }, copy, 4, { ...adamw, kind: 'muon', dropout: 0.2 }],
  ['grpo', { id: 'grpo', params: { groupSize: 4, epochs: 2 } }, copy, 4, adamw],
  [
    'grpo with momentum',
    { id: 'grpo', params: { groupSize: 4, epochs: 2 } },
    copy,
    4,
    { kind: 'sgd', learningRate: 0.05, warmup: 3 },
  ],
  ['dpo', { id: 'dpo' }, pairs, 4, adamw],
  [
    'dpo with Lion and dropout',
    { id: 'dpo' },
    pairs,
    4,
    { ...adamw, kind: 'lion', learningRate: 3e-4, dropout: 0.2 },
  ],
  ['two roles, in the middle of a turn', { id: 'grpo' }, copy, 3, adamw, echo],
  ['t1 with a moving reference', { id: 't1', params: { groupSize: 4 } }, copy, 4, adamw],
  ['rle-language with directions', { id: 'rle-language', params: { groupSize: 4 } }, copy, 4, adamw],
  ['kdrl with a teacher', { id: 'kdrl', params: { groupSize: 4 } }, copy, 4, adamw],
  ['a stage that keeps state, and the previous policy', { id: 'grpo' }, copy, 4, adamw, remembers],
])('%s', (name, method, task, stopAfter, optimizer, substitute) => {
  test('a stopped and resumed run ends with the same bits as an uninterrupted one', async () => {
    const spec = (suffix: string) =>
      checkSpec({
        name: `${name}-${suffix}`,
        method,
        models: toyModels(methodOf({ method: { params: {}, ...method } })),
        task,
        budget: { steps: 8, batch: 6 },
        sampling: { maxTokens: 4 },
        optimizer,
        evaluation: { problems: 4, samples: 2 },
      });
    const whole = await run(spec('whole'), 1, { method: substitute });
    const first = await run(spec('parts'), 1, { stopAfter, method: substitute });
    expect(first.outcome).toBe('stopped');
    const second = await run(spec('parts'), 2, { resumeFrom: pathOf(first.seen), method: substitute });
    const [a, b] = [await readCheckpoint(pathOf(whole.seen)), await readCheckpoint(pathOf(second.seen))];
    expect(b.model.parameters.flat).toEqual(a.model.parameters.flat);
    expect(b.optimizer).toEqual(a.optimizer);
    expect(b.state).toEqual(a.state);
  });
});

test('continuing from any checkpoint gives the same result', async () => {
  const spec = (suffix: string) =>
    checkSpec({
      name: `any-${suffix}`,
      method: { id: 'sft' },
      models: toyModel,
      task: copy,
      budget: { steps: 6, batch: 6 },
      sampling: { maxTokens: 4 },
      optimizer: { ...adamw, dropout: 0.1 },
      evaluation: { problems: 4, samples: 2 },
      checkpoints: { every: 1 },
    });
  const { seen } = await run(spec('whole'), 1);
  const saved = seen.flatMap((event) =>
    event.type === 'checkpoint' && !event.checkpoint.final ? [event.checkpoint.path] : [],
  );
  const end = await readCheckpoint(pathOf(seen));
  expect(saved.length).toBeGreaterThanOrEqual(5);
  for (const [at, path] of saved.entries()) {
    const again = await readCheckpoint(pathOf((await run(spec(`from-${at}`), 2, { resumeFrom: path })).seen));
    expect([again.model.parameters.flat, again.optimizer, again.state]).toEqual([
      end.model.parameters.flat,
      end.optimizer,
      end.state,
    ]);
  }
});

test('the second run of a spec compiles no graphs and creates no sessions', async () => {
  const own = await openDevice({ id: 'cpu', threads: 1 });
  const spec = (name: string) =>
    checkSpec({
      name,
      method: { id: 'grpo', params: { groupSize: 4 } },
      models: toyModel,
      task: copy,
      budget: { steps: 4, batch: 6 },
      sampling: { maxTokens: 4 },
      evaluation: { problems: 4, samples: 2 },
    });
  await run(spec('first'), 1, { on: own });
  const before = [own.loweredGraphs, own.cachedSessions];
  await run(spec('second'), 1, { on: own });
  expect([own.loweredGraphs, own.cachedSessions]).toEqual(before);
  await own.close();
});

/** A checkpoint as another version might have written it: one part changed, the rest valid. */
const rewritten = async (
  path: string,
  change: (saved: Checkpoint) => Partial<Checkpoint>,
): Promise<string> => {
  const saved = await readCheckpoint(path);
  return (await writeCheckpoint(`${path}-other`, { ...saved, ...change(saved) })).path;
};

test.each<[string, (saved: Checkpoint) => Partial<Checkpoint>]>([
  ['of another version', ({ state }) => ({ state: { ...(state as object), version: 99 } })],
  ['without counters of its roles', ({ state }) => ({ state: { step: (state as { step: number }).step } })],
  ['without any state', () => ({ state: undefined })],
  ['without its optimizer', () => ({ optimizer: undefined })],
  [
    'with one moment array per parameter',
    ({ optimizer = {} }) => ({
      optimizer: Object.fromEntries(Object.entries(optimizer).map(([name, values]) => [`${name}/0`, values])),
    }),
  ],
  [
    'with moments of another length',
    ({ optimizer = {} }) => ({
      optimizer: Object.fromEntries(
        Object.entries(optimizer).map(([name, values]) => [name, values.slice(1)]),
      ),
    }),
  ],
])('a checkpoint %s is rejected with a remedy', async (name, change) => {
  const spec = checkSpec({
    name: `version ${name}`,
    method: { id: 'sft' },
    models: toyModel,
    task: copy,
    budget: { steps: 4, batch: 6 },
    sampling: { maxTokens: 4 },
    evaluation: { problems: 4, samples: 2 },
  });
  const { seen } = await run(spec, 1, { stopAfter: 2 });
  const resumed = run(spec, 2, { resumeFrom: await rewritten(pathOf(seen), change) });
  await expect(resumed).rejects.toMatchObject({
    kind: 'conflict',
    hint: expect.stringMatching(/launch a new run that starts from this checkpoint/i),
  });
});

test('an optimizer rejects the state of another one', async () => {
  const spec = (kind: 'adamw' | 'lion') =>
    checkSpec({
      name: `other-${kind}`,
      method: { id: 'sft' },
      models: toyModel,
      task: copy,
      budget: { steps: 4, batch: 6 },
      sampling: { maxTokens: 4 },
      optimizer: { kind },
      evaluation: { problems: 4, samples: 2 },
    });
  const { seen } = await run(spec('adamw'), 1, { stopAfter: 2 });
  await expect(run(spec('lion'), 2, { resumeFrom: pathOf(seen) })).rejects.toMatchObject({
    kind: 'conflict',
  });
});
