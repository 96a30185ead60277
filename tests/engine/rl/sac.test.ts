import { mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import {
  controlWorldById,
  drawNumbers,
  meanNumbers,
  outputNames,
  withinBounds,
} from '../../../engine/control/index.ts';
import { checkSpec } from '../../../engine/index.ts';
import { readCheckpoint } from '../../../engine/models/checkpoint.ts';
import { networkConfigOf } from '../../../engine/models/config.ts';
import { configFile, fromHuggingFace } from '../../../engine/models/hugging-face.ts';
import { stream } from '../../../engine/random/random.ts';
import { liveModel } from '../../../engine/rl/compute/live-model.ts';
import { modelGraph } from '../../../engine/rl/compute/model-graph.ts';
import { Updater } from '../../../engine/rl/compute/updater.ts';
import type { PerToken } from '../../../engine/rl/kernel/columns.ts';
import { observedOf, observedRow, ragged, type Table } from '../../../engine/rl/kernel/rows.ts';
import { noiseIn } from '../../../engine/rl/tasks/control-source.ts';
import { openDevice, type Device } from '../../../engine/runtime/index.ts';
import { OptimizerSpec, type RunSpec } from '../../../engine/schema/run-spec.ts';
import { caught, rejected } from '../../support/errors.ts';
import { formulaModel } from '../../support/families.ts';
import { networkCases } from '../../support/oracle-cases.ts';
import { readOracle } from '../../support/objective-oracle.ts';
import { stepRows, type OracleSteps } from '../../support/oracle-steps.ts';
import { runPart } from '../../support/run-part.ts';
import { expectSameBits } from '../../support/stopped.ts';
import { lastCheckpoint, noResources, runInto } from '../../support/toy-run.ts';

type Rows = readonly (readonly number[])[];
type Term = 'softValues' | 'softPolicy' | 'entropyTarget';
interface Oracle extends OracleSteps {
  readonly hidden: readonly number[];
  readonly gamma: number;
  readonly perNumber: number;
  readonly drawn: Rows;
  readonly logp: readonly number[];
  readonly cases: Readonly<
    Record<Term, { readonly loss: number; readonly gradient: Readonly<Record<string, readonly number[]>> }>
  >;
}
const oracle = readOracle<Oracle>('soft-actor-critic');

let device: Device;
let folder: string;
beforeAll(async () => {
  device = await openDevice({ id: 'cpu', threads: 1 });
  folder = await mkdtemp(join(tmpdir(), 'whetstone-sac-'));
});
afterAll(() => rm(folder, { recursive: true, force: true }));

const model = () =>
  formulaModel(networkConfigOf({ hidden: oracle.hidden, activation: 'relu' }, 3, 4, 'numbers'));

/** The oracle's steps, as they are drawn from the ring, with its noise. */
const steps = (): Table => ({
  ...stepRows(oracle),
  behaviorLogp: ragged(
    oracle.before.map(() => [0, 0]),
    Float32Array,
  ),
});

describe('actions as numbers', () => {
  test('are drawn with the density of PyTorch', async () => {
    const live = liveModel(device, model());
    const seen = Float32Array.from(oracle.before.flat());
    const { logits } = await live.act(seen, 5, 1);
    oracle.drawn.forEach((action, r) => {
      const own = logits.slice(4 * r, 4 * r + 4);
      const { numbers, logp } = drawNumbers(own, oracle.noise[r]);
      action.forEach((number, k) => expect(numbers[k]).toBeCloseTo(number, 5));
      expect(logp).toBeCloseTo(oracle.logp[r], 4);
      expect([...meanNumbers(own)]).toEqual([...drawNumbers(own, [0, 0]).numbers]);
    });
  });

  test('have a finite density where they are 1 in float64', () => {
    const { numbers, logp } = drawNumbers(Float32Array.of(30, 0), [0]);
    expect(numbers[0]).toBe(1);
    // log(1 − tanh² 30) = 2 log 2 − 60
    expect(logp).toBeCloseTo(-0.5 * Math.log(2 * Math.PI) + 60 - 2 * Math.LN2, 6);
  });

  test('come from −1 to 1 within the bounds of their world', () => {
    const { actions } = controlWorldById('control/pendulum', 'world');
    expect(outputNames(actions)).toEqual(['mean 1', 'log deviation 1']);
    expect([-1, 0, 0.5, 1].map((unit) => withinBounds(actions, [unit])[0])).toEqual([-2, 0, 1, 2]);
    const choices = controlWorldById('control/cart-pole', 'world').actions;
    expect(caught(() => withinBounds(choices, [0]))).toMatchObject({ kind: 'invalid-input' });
  });
});

test.each(Object.entries(networkCases['soft-actor-critic']))(
  '%s has the loss and the gradient of PyTorch',
  async (name, objective) => {
    const { config, parameters } = model();
    const target = model();
    target.parameters.flat.forEach((weight, at) => {
      target.parameters.flat[at] = -0.7 * weight + 0.05;
    });
    const updater = new Updater({
      device,
      graph: modelGraph(config),
      parameters,
      objective,
      optimizer: OptimizerSpec.parse({}),
      limits: { maxTokens: 8 },
      temperature: 1,
      steps: 1,
    });
    updater.readOthers(() => liveModel(device, target));
    const { loss, gradient } = await updater.gradient(steps());
    expect(loss).toBeCloseTo(oracle.cases[name as Term].loss, 5);
    for (const slot of parameters.slots)
      oracle.cases[name as Term].gradient[slot.name].forEach((value, at) => {
        expect(gradient[slot.offset + at], `${slot.name} ${at}`).toBeCloseTo(value, 5);
      });
  },
);

test('fresh noise leaves observations and actions as they are', async () => {
  const world = controlWorldById('control/point-maze', 'world');
  const [F, A] = [world.observations.length, outputNames(world.actions).length / 2];
  const width = F + 2 * A;
  const row = Float32Array.from({ length: 2 * width }, (_, at) => at);
  const tokens = { ...ragged([[0, 0]], Int32Array), observed: observedOf([row], width) };
  const noisy = async (draw: number) => {
    const table = await runPart(noiseIn(world), { tokens }, { random: (purpose) => stream(draw, purpose) });
    return observedRow(table.tokens as PerToken<Int32Array>, 0);
  };
  const [once, twice] = [await noisy(1), await noisy(2)];
  const isNoise = (at: number) => at % width >= F + A;
  once.forEach((value, at) => {
    if (!isNoise(at)) expect([value, twice[at]]).toEqual([at, at]);
    else expect(value).not.toBe(twice[at]);
  });
  expect([...row]).toEqual([...row.keys()]);
});

const small = (more: object = {}): RunSpec =>
  checkSpec({
    method: { id: 'sac', params: { copies: 2, drawn: 16, capacity: 60, warmup: 5 } },
    models: { policy: { kind: 'network', hidden: [8] } },
    task: { kind: 'control', id: 'control/pendulum' },
    budget: { steps: 24, batch: 8 },
    evaluation: { problems: 5 },
    checkpoints: { every: 8 },
    seed: 4,
    ...more,
  });
test('a run that was stopped goes on to the same bits, noise and stored actions included', async () => {
  const { names } = await expectSameBits(device, small(), { folder, stopAfter: 11 });
  expect(names).toEqual(
    expect.arrayContaining(['value/error', 'policy/entropy', 'policy/temperature', 'eval/return']),
  );
});

test('a network of numbers is saved, starts another run, and no method of choices', async () => {
  const config = networkConfigOf({ hidden: [8], activation: 'relu' }, 3, 2, 'numbers');
  expect(fromHuggingFace(JSON.parse(configFile(config)), 'config.json')).toEqual(config);
  const budget = { steps: 1, batch: 8 };
  const { seen } = await runInto(device, small({ budget }), join(folder, 'start'));
  expect((await readCheckpoint(lastCheckpoint(seen))).model.config).toEqual(config);
  const models = { policy: { kind: 'checkpoint', checkpointId: 'c' } } as const;
  const resources = { ...noResources, checkpoints: { c: lastCheckpoint(seen) } };
  const again = await runInto(device, small({ models, budget }), join(folder, 'again'), { resources });
  expect(again.outcome).toBe('done');
  const maze = small({ models, budget, task: { kind: 'control', id: 'control/point-maze' } });
  expect(await rejected(runInto(device, maze, join(folder, 'maze'), { resources }))).toMatchObject({
    kind: 'invalid-input',
    where: 'models.policy.checkpointId',
  });
});

test.each([
  ['a world of choices', { task: { kind: 'control', id: 'control/cart-pole' } }, 'task.id'],
  ['a temperature', { sampling: { temperature: 0.5 } }, 'sampling.temperature'],
  ['less room than a batch', { budget: { steps: 4, batch: 64 } }, 'method.params.capacity'],
  ['no warmup', { method: { id: 'sac', params: { warmup: 0 } } }, 'method.params.warmup'],
])('refuses %s', (_, more, where) =>
  expect(caught(() => small(more))).toMatchObject({ kind: 'invalid-input', where }),
);
