import { mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterAll, beforeAll, expect, test } from 'vitest';
import { checkSpec } from '../../../engine/index.ts';
import { readCheckpoint } from '../../../engine/models/checkpoint.ts';
import { networkConfigOf } from '../../../engine/models/config.ts';
import { fromHuggingFace, configFile } from '../../../engine/models/hugging-face.ts';
import { openDevice, type Device } from '../../../engine/runtime/index.ts';
import { type RunSpec } from '../../../engine/schema/run-spec.ts';
import { caught, rejected } from '../../support/errors.ts';
import { expectSameBits, reported } from '../../support/stopped.ts';
import { lastCheckpoint, noResources, runInto } from '../../support/toy-run.ts';

let device: Device;
let folder: string;
beforeAll(async () => {
  device = await openDevice({ id: 'cpu', threads: 1 });
  folder = await mkdtemp(join(tmpdir(), 'whetstone-dqn-'));
});
afterAll(() => rm(folder, { recursive: true, force: true }));

const small = (more: object = {}): RunSpec =>
  checkSpec({
    method: { id: 'dqn', params: { copies: 2, drawn: 16, capacity: 60, warmup: 5, targetEvery: 3 } },
    models: { policy: { kind: 'network', hidden: [8] } },
    task: { kind: 'control', id: 'control/cart-pole' },
    budget: { steps: 24, batch: 8 },
    evaluation: { problems: 5 },
    checkpoints: { every: 8 },
    seed: 4,
    ...more,
  });
test('the episodes of an evaluation are stored, with an interval of their mean return', async () => {
  const measured = async (problems: number) => {
    const spec = small({ budget: { steps: 2, batch: 8 }, evaluation: { problems } });
    const { seen } = await runInto(device, spec, join(folder, `episodes ${problems}`));
    const found = seen.findLast((event) => event.type === 'result');
    if (found?.type !== 'result' || found.kind !== 'episodes') throw new Error('no episodes were stored');
    const metrics = Object.fromEntries(reported(seen));
    expect([found.value.return, found.value.length]).toEqual([
      metrics['eval/return'],
      metrics['eval/length'],
    ]);
    expect([found.step, found.value.step, found.value.episodes]).toEqual([2, 2, problems]);
    return found.value;
  };
  const { return: mean, returnInterval, deviation } = await measured(5);
  // Student's quantile for 4 degrees of freedom; the deviation is that of the five
  const half = (2.776445 * deviation) / Math.sqrt(4);
  expect(returnInterval?.[0]).toBeCloseTo(mean - half, 4);
  expect(returnInterval?.[1]).toBeCloseTo(mean + half, 4);
  expect((await measured(1)).returnInterval).toBeNull();
});

test('a run that was stopped goes on to the same bits, stored steps and target network included', async () => {
  const { names, checkpoint } = await expectSameBits(device, small(), { folder, stopAfter: 11 });
  expect(Object.keys(checkpoint.optimizer ?? {})).toContain('snapshot/average');
  expect(JSON.stringify(checkpoint.state)).toContain('row/serial');
  expect(names).toEqual(expect.arrayContaining(['return/mean', 'value/error', 'value/mean', 'eval/return']));
});

test('a network of values has no critic, and starts no policy; nor the other way round', async () => {
  const models = { policy: { kind: 'checkpoint', checkpointId: 'c' } } as const;
  const budget = { steps: 1, batch: 8 };
  const method = { id: 'control-ppo', params: { copies: 2, minibatches: 1 } };
  const values = await runInto(device, small({ budget }), join(folder, 'values'));
  const policy = await runInto(device, small({ budget, method }), join(folder, 'policy'));
  const { model } = await readCheckpoint(lastCheckpoint(values.seen));
  expect(model.config).toEqual(networkConfigOf({ hidden: [8], activation: 'relu' }, 4, 2, 'values'));
  expect(model.parameters.slots.every(({ name }) => name.startsWith('actor'))).toBe(true);
  const from = (run: typeof values, spec: RunSpec, place: string) =>
    runInto(device, spec, join(folder, place), {
      resources: { ...noResources, checkpoints: { c: lastCheckpoint(run.seen) } },
    });
  const where = 'models.policy.checkpointId';
  expect(await rejected(from(values, small({ budget, method, models }), 'a'))).toMatchObject({ where });
  expect(await rejected(from(policy, small({ budget, models }), 'b'))).toMatchObject({ where });
  expect((await from(values, small({ budget, models }), 'c')).outcome).toBe('done');
});

test('a network that was saved before there were ones without a critic has one', () => {
  const shape = { observed: 4, actions: 2, hidden: [8], activation: 'tanh' };
  const stored = { model_type: 'whetstone-network', ...shape };
  const config = networkConfigOf({ hidden: [8], activation: 'tanh' }, 4, 2);
  expect(fromHuggingFace(stored, 'config.json')).toEqual(config);
  const without = { ...config, outputs: 'values' as const };
  expect(fromHuggingFace(JSON.parse(configFile(without)), 'config.json')).toEqual(without);
});

test('the method gives the shape of a network that is left open', () => {
  const policyOf = (id: string, policy: object) =>
    checkSpec({
      method: { id },
      models: { policy: { kind: 'network', ...policy } as never },
      task: { kind: 'control', id: 'control/cart-pole' },
    }).models.policy;
  expect(policyOf('dqn', {})).toMatchObject({ hidden: [120, 84], activation: 'relu' });
  expect(policyOf('dqn', { hidden: [7] })).toMatchObject({ hidden: [7], activation: 'relu' });
  expect(policyOf('control-ppo', {})).toMatchObject({ hidden: [64, 64], activation: 'tanh' });
});

test.each([
  ['a temperature of values', { sampling: { temperature: 0.5 } }, 'sampling.temperature'],
  ['less room than a batch', { budget: { steps: 4, batch: 64 } }, 'method.params.capacity'],
  ['copies that do not share a batch', { budget: { steps: 4, batch: 9 } }, 'budget.batch'],
  ['numbers as actions', { task: { kind: 'control', id: 'control/pendulum' } }, 'task.id'],
  ['no warmup', { method: { id: 'dqn', params: { warmup: 0 } } }, 'method.params.warmup'],
])('refuses %s', (_, more, where) =>
  expect(caught(() => small(more))).toMatchObject({ kind: 'invalid-input', where }),
);
