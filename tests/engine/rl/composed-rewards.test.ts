import { mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { checkSpec, storedTotals } from '../../../engine/index.ts';
import { openDevice, type Device } from '../../../engine/runtime/index.ts';
import type { RunSpec, RunSpecInput } from '../../../engine/schema/run-spec.ts';
import { lastCheckpoint, runInto, runToy, toyModel, type Seen } from '../../support/toy-run.ts';

let device: Device;
let folder: string;
beforeAll(async () => {
  device = await openDevice({ id: 'cpu', threads: 1 });
  folder = await mkdtemp(join(tmpdir(), 'whetstone-composed-'));
});
afterAll(async () => {
  await device.close();
  await rm(folder, { recursive: true, force: true });
});

/** GRPO on right answers, and on length at 100 units a token. */
const spec = (composer?: RunSpecInput['composer'], more: Partial<RunSpecInput> = {}): RunSpec =>
  checkSpec({
    method: { id: 'grpo', params: { groupSize: 8, scaleBy: 'none' } },
    models: toyModel,
    task: { kind: 'world', id: 'toy/copy' },
    rewards: [{ id: 'verifier' }, { id: 'length', params: { scale: 0.01 } }],
    ...(composer && { composer }),
    optimizer: { learningRate: 5e-3 },
    budget: { steps: 6, batch: 16 },
    sampling: { maxTokens: 4 },
    evaluation: { problems: 0 },
    ...more,
  });
const valuesOf = (seen: readonly Seen[], name: string): number[] =>
  seen.flatMap((event) => (event.type === 'metrics' && name in event.values ? [event.values[name]] : []));
const answersOf = (seen: readonly Seen[]) =>
  seen.flatMap((event) => (event.type === 'trajectories' ? [...event.rows] : []));

test('SLIM: components normalized each learn both rewards, where the sum learns the one of large scale', async () => {
  const long = { budget: { steps: 60, batch: 16 } };
  const last = async (composer?: RunSpecInput['composer']) => {
    const seen = await runToy(device, spec(composer, long));
    return ['reward/verifier', 'reward/length'].map((name) => valuesOf(seen, name).at(-1) ?? NaN);
  };
  const [sum, each] = [await last(), await last({ id: 'per-component' })];
  expect(sum[1]).toBeGreaterThan(390);
  expect(each[1]).toBeGreaterThan(390);
  expect(sum[0]).toBeLessThan(0.15);
  expect(each[0]).toBeGreaterThan(0.25);
});

test('MSRL: stages follow the progress of the run, and the recorded mean is that of the whole sum', async () => {
  const seen = await runToy(device, spec({ id: 'stages', params: { at: [0.5] } }));
  expect(valuesOf(seen, 'reward/stage')).toEqual([1, 1, 1, 2, 2, 2]);
  const means = valuesOf(seen, 'reward/mean');
  valuesOf(seen, 'reward/verifier').forEach((right, at) => {
    expect(means[at]).toBeCloseTo(right + valuesOf(seen, 'reward/length')[at], 9);
  });
});

test('totals of stored answers equal those that the run recorded', async () => {
  const gate = { id: 'gate', params: { scorer: 'verifier', least: 1 } };
  const own = spec(gate);
  const rows = answersOf(await runToy(device, own));
  const batches = [...Map.groupBy(rows, ({ step }) => step).values()].map((batch) => ({
    scores: batch.map(({ scores }) => scores),
    groups: batch.map(({ promptId }) => promptId),
    progress: 0,
  }));
  const { total } = storedTotals(own, batches) ?? { total: [] };
  expect(total).toEqual(rows.map(({ scores }) => scores.composed));
  expect(total.some((value) => value > 100)).toBe(true);
  expect(total.filter((value) => value === 0).length).toBeGreaterThan(rows.length / 2);
});

test('a run without a composer records no total of one, and null is the weighted sum', async () => {
  const plain = await runToy(device, spec());
  expect(answersOf(plain).every(({ scores }) => !('composed' in scores))).toBe(true);
  const nulled = spec(undefined, { composer: null });
  expect(nulled).toEqual(spec());
  expect('composer' in nulled).toBe(false);
});

test('multipliers are saved: a resumed run ends with the same bits', async () => {
  const constrained = spec({
    id: 'constrained',
    params: { constraints: [{ scorer: 'verifier', least: 0.5 }], rate: 0.5 },
  });
  const whole = await runInto(device, constrained, join(folder, 'whole'));
  const multipliers = valuesOf(whole.seen, 'reward/verifier/multiplier');
  expect(multipliers[0]).toBe(0);
  expect(multipliers.at(-1)).toBeGreaterThan(0.5);
  const first = await runInto(device, constrained, join(folder, 'cut'), { stopAfter: 3 });
  expect(first.outcome).toBe('stopped');
  const second = await runInto(device, constrained, join(folder, 'cut'), {
    attempt: 2,
    resumeFrom: lastCheckpoint(first.seen),
  });
  for (const name of ['reward/verifier/multiplier', 'loss', 'grad_norm'])
    expect([...valuesOf(first.seen, name), ...valuesOf(second.seen, name)]).toEqual(
      valuesOf(whole.seen, name),
    );
});

test('the evaluation measures the composed total as the proxy', async () => {
  const seen = await runToy(
    device,
    spec({ id: 'min' }, { budget: { steps: 1, batch: 4 }, evaluation: { problems: 4, samples: 4 } }),
  );
  const rows = answersOf(seen).filter(({ purpose }) => purpose === 'evaluation');
  const expected = rows.reduce((sum, { scores }) => sum + Math.min(scores.verifier, scores.length), 0);
  expect(valuesOf(seen, 'eval/proxy')[0]).toBeCloseTo(expected / rows.length, 9);
});

describe('a specification is refused with the path to the field', () => {
  const refused = (composer: unknown, rewards?: object[]) => {
    try {
      checkSpec({ ...spec(), ...(rewards && { rewards }), composer });
    } catch (error) {
      return error;
    }
    return undefined;
  };

  test.each([
    [{ id: 'no-such' }, 'composer.id'],
    [{ params: {} }, 'composer.id'],
    [{ id: 'gate', params: { scorer: 'style' } }, 'composer.params.scorer'],
    [{ id: 'gate', params: { least: Number.NaN } }, 'composer.params.least'],
    [{ id: 'stages', params: { at: [0.2, 0.4] } }, 'composer.params.at'],
    [{ id: 'tchebycheff', params: { ideal: [1, 1, 1] } }, 'composer.params.ideal'],
    [{ id: 'constrained' }, 'composer.params.constraints'],
    [{ id: 'product', params: { power: 2 } }, 'composer.params.power'],
    ['product', 'composer'],
  ])('%j at %s', (composer, where) => {
    expect(refused(composer)).toMatchObject({ kind: 'invalid-input', where });
  });

  test('a negative weight in a product, at the reward', () => {
    expect(refused({ id: 'product' }, [{ id: 'verifier' }, { id: 'length', weight: -1 }])).toMatchObject({
      where: 'rewards.1.weight',
    });
  });

  test('equal rewards whose weights cancel, without a composer as well', () => {
    const cancelled = [
      { id: 'verifier', weight: 1 },
      { id: 'verifier', weight: -1 },
    ];
    expect(refused(undefined, cancelled)).toMatchObject({ kind: 'invalid-input', where: 'rewards' });
  });

  test('the parameters are completed with their defaults', () => {
    expect(spec({ id: 'gate' }).composer).toEqual({ id: 'gate', params: { scorer: 'verifier', least: 1 } });
  });
});
