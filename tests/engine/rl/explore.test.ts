import { readFileSync } from 'node:fs';
import { mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { controlWorldById, Copies, Latents, Visits } from '../../../engine/control/index.ts';
import { checkSpec } from '../../../engine/index.ts';
import { readCheckpoint } from '../../../engine/models/checkpoint.ts';
import { networkConfigOf } from '../../../engine/models/config.ts';
import { configFile, fromHuggingFace } from '../../../engine/models/hugging-face.ts';
import { normals } from '../../../engine/random/random.ts';
import { liveModel } from '../../../engine/rl/compute/live-model.ts';
import { modelGraph } from '../../../engine/rl/compute/model-graph.ts';
import { Updater } from '../../../engine/rl/compute/updater.ts';
import type { PerToken } from '../../../engine/rl/kernel/columns.ts';
import { sum, weighted } from '../../../engine/rl/kernel/objective.ts';
import { observedOf, ragged, type Table } from '../../../engine/rl/kernel/rows.ts';
import * as part from '../../../engine/rl/parts/index.ts';
import { openDevice, type Device } from '../../../engine/runtime/index.ts';
import { OptimizerSpec, type RunSpec } from '../../../engine/schema/run-spec.ts';
import { rejected } from '../../support/errors.ts';
import { formulaModel } from '../../support/families.ts';
import { networkCases } from '../../support/oracle-cases.ts';
import { runPart } from '../../support/run-part.ts';
import { lastCheckpoint, noResources, runInto } from '../../support/toy-run.ts';

type Rows = readonly (readonly number[])[];
const kinds = ['latent', 'novelty', 'noisy'] as const;
type Kind = (typeof kinds)[number];
interface Case {
  readonly logp: readonly number[];
  readonly values: Rows;
  readonly features: Rows;
  readonly loss: number;
  readonly gradient: Readonly<Record<string, readonly number[]>>;
}
interface Credit {
  readonly advantages: Rows;
  readonly returns: Rows;
}
interface Oracle {
  readonly latents: Readonly<Record<Kind, Rows>>;
  readonly bonuses: Rows;
  readonly bonusReturns: Rows;
  readonly bonusGamma: number;
  readonly earnedWeight: number;
  readonly bonusWeight: number;
  readonly cases: Readonly<Record<Kind, Case>>;
  readonly credit: Readonly<Record<'piece' | 'across', Credit>>;
}
interface Pieces {
  readonly hidden: readonly number[];
  readonly lambda: number;
  readonly clip: number;
  readonly valueClip: number;
  readonly valueWeight: number;
  readonly entropyWeight: number;
  readonly actions: Rows;
  readonly observed: readonly Rows[];
  readonly behaviorLogp: Rows;
  readonly values: Rows;
  readonly advantages: Rows;
  readonly returns: Rows;
}
const read = (name: string): unknown =>
  JSON.parse(readFileSync(new URL(`../../support/oracles/${name}.json`, import.meta.url), 'utf8'));
const oracle = read('explore') as Oracle;
const network = read('network') as Pieces;

let device: Device;
let folder: string;
beforeAll(async () => {
  device = await openDevice({ id: 'cpu', threads: 1 });
  folder = await mkdtemp(join(tmpdir(), 'whetstone-explore-'));
});
afterAll(() => rm(folder, { recursive: true, force: true }));

const model = (kind: Kind) =>
  formulaModel(networkConfigOf({ hidden: network.hidden, activation: 'tanh' }, 3, 3, kind));
const behind = (rows: Rows) => rows.map((row) => [0, ...row]);

/** The pieces of the oracle, with what a network of this kind reads behind each observation. */
const pieces = (kind: Kind): Table => {
  const latents = oracle.latents[kind];
  const rows = network.observed.map((row, r) =>
    Float32Array.from(row.flatMap((seen) => [...seen, ...latents[r]])),
  );
  return {
    tokens: {
      ...ragged(behind(network.actions), Int32Array),
      observed: observedOf(rows, 3 + latents[0].length),
    },
    mask: ragged(
      network.actions.map((row) => [0, ...row.map(() => 1)]),
      Uint8Array,
    ),
    weight: Float64Array.of(1, 1),
    behaviorLogp: ragged(behind(network.behaviorLogp), Float32Array),
    values: ragged(behind(network.values), Float32Array),
    advantage: ragged(behind(network.advantages), Float64Array),
    returns: ragged(behind(network.returns), Float64Array),
    'credit/bonus': ragged(behind(oracle.bonuses), Float64Array),
    'credit/bonusReturns': ragged(behind(oracle.bonusReturns), Float64Array),
    'row/finished': Float64Array.of(1, 0),
    'row/terminal': Float64Array.of(1, 0),
    'row/copy': Float64Array.of(0, 0),
  };
};
const objectiveOf = (kind: Kind) =>
  sum(
    part.clippedSurrogate({ clipLow: network.clip, clipHigh: network.clip, average: 'token' }),
    weighted(
      network.valueWeight,
      kind === 'noisy'
        ? part.clippedValue({ clip: network.valueClip })
        : sum(part.clippedValue({ clip: network.valueClip }), networkCases.explore.latent),
    ),
    weighted(network.entropyWeight, part.entropyBonus),
    ...(kind === 'novelty' ? [networkCases.explore.novelty] : []),
  );

describe.each(kinds)('a network that explores: %s', (kind) => {
  const found = oracle.cases[kind];

  test('says what it says in PyTorch, acting and learning', async () => {
    const live = liveModel(device, model(kind));
    const { tokens } = pieces(kind) as { tokens: PerToken<Int32Array> };
    const logp = await live.logp(tokens, 1);
    const { values, observed } = tokens;
    const said = await live.act(observed?.values ?? new Float32Array(0), values.length, 1);
    // the state before a step is the one after the token before it
    [1, 2, 3, 5, 6].forEach((at, step) => {
      expect(logp.values[at]).toBeCloseTo(found.logp[step], 5);
      expect(said.values[at - 1]).toBeCloseTo(found.values[step][0], 5);
      if (kind === 'noisy') return;
      expect(said.bonus?.[at - 1]).toBeCloseTo(found.values[step][1], 5);
      const width = found.features[step].length;
      found.features[step].forEach((feature, d) =>
        expect(said.features?.[(at - 1) * width + d]).toBeCloseTo(feature, 5),
      );
    });
    expect(said.bonus === undefined).toBe(kind === 'noisy');
    expect(said.predicted === undefined).toBe(kind !== 'novelty');
  });

  test.each([false, true])('has the loss and the gradient of PyTorch; steps apart: %s', async (apart) => {
    const { config, parameters } = model(kind);
    const initial = model(kind);
    initial.parameters.flat.forEach((weight, at) => {
      initial.parameters.flat[at] = -0.7 * weight + 0.05;
    });
    const updater = new Updater({
      device,
      graph: modelGraph(config),
      parameters,
      objective: objectiveOf(kind),
      optimizer: OptimizerSpec.parse({}),
      limits: { maxTokens: 8 },
      temperature: 1,
      steps: 1,
    });
    updater.readOthers(() => liveModel(device, initial));
    let table = await runPart(part.whiten({ on: true }), pieces(kind));
    const carried = ['behaviorLogp', 'values', 'advantage', 'returns', 'credit/bonusReturns'] as const;
    if (apart) table = await runPart(part.singleSteps(...carried), table);
    const { loss, gradient } = await updater.gradient(table);
    expect(loss).toBeCloseTo(found.loss, 5);
    for (const { name, offset } of parameters.slots)
      found.gradient[name].forEach((value, at) =>
        expect(gradient[offset + at], `${name} ${at}`).toBeCloseTo(value, 5),
      );
  });

  test('is stored with what it says', () => {
    const { config } = model(kind);
    expect(fromHuggingFace(JSON.parse(configFile(config)), 'config.json')).toEqual(config);
  });
});

test.each(['piece', 'across'] as const)('credit for bonuses is that of its definition: %s', async (how) => {
  const live = liveModel(device, model('latent'));
  const kept = new Map<string, unknown>();
  const after = await runPart(
    part.bonusCredit({ ...oracle, lambda: network.lambda, across: how === 'across' }),
    pieces('latent'),
    {
      // fewer than the states that are asked about
      batch: 3,
      act: (reads, rows) => live.act(reads, rows, 1),
      memory: { get: (id) => kept.get(id), set: (id, state) => kept.set(id, state) },
    },
  );
  for (const [column, rows] of [
    ['advantage', oracle.credit[how].advantages],
    ['credit/bonusReturns', oracle.credit[how].returns],
  ] as const)
    behind(rows)
      .flat()
      .forEach((value, at) =>
        expect((after[column] as PerToken<Float64Array>).values[at], `${column} ${at}`).toBeCloseTo(value, 5),
      );
});

test('the bonus along a direction is a cosine-like share of standardized, projected features', async () => {
  const table = pieces('latent');
  const kept = new Map<string, unknown>();
  const D = 2;
  // features of the state after token n: n² and −n
  let asked = 0;
  const act = (_reads: Float32Array, rows: number) => {
    const features = Float32Array.from({ length: rows * D }, (_, k) => {
      const n = asked + Math.floor(k / D);
      return k % D === 0 ? n * n : -n;
    });
    asked += rows;
    return Promise.resolve({ logits: new Float32Array(0), values: new Float32Array(0), features });
  };
  const after = await runPart(part.latentBonus, table, {
    batch: 4,
    latent: { kind: 'sphere', size: 16 },
    memory: { get: (id) => kept.get(id), set: (id, state) => kept.set(id, state) },
    ports: { 'model/average': { act } },
  });
  const bonus = (after['credit/bonus'] as PerToken<Float64Array>).values;
  const { seed } = kept.get('latentBonus') as { seed: number };
  const projection = new Float32Array(D * 16);
  normals(projection, seed, 'projection of features');
  const places = [1, 2, 3, 5, 6];
  const columns = [(n: number) => n * n, (n: number) => -n].map((of) => {
    const all = places.map(of);
    const mean = all.reduce((a, b) => a + b) / all.length;
    const deviation = Math.sqrt(all.reduce((a, b) => a + (b - mean) ** 2, 0) / all.length);
    return all.map((x) => (x - mean) / deviation);
  });
  places.forEach((at, step) => {
    const z = oracle.latents.latent[at < 4 ? 0 : 1];
    const phi = z.map((_, k) => columns[0][step] * projection[k] + columns[1][step] * projection[16 + k]);
    const dot = phi.reduce((total, x, k) => total + x * z[k], 0);
    expect(bonus[at]).toBeCloseTo(dot / Math.hypot(...phi), 6);
  });
  expect([bonus[0], bonus[4]]).toEqual([0, 0]);
});

test('the bonus of novelty is the error of the prediction', async () => {
  const said = (features: number, predicted: number) => (_reads: Float32Array, rows: number) =>
    Promise.resolve({
      logits: new Float32Array(0),
      values: new Float32Array(0),
      features: new Float32Array(2 * rows).fill(features),
      predicted: Float32Array.from({ length: 2 * rows }, (_, k) => predicted * (k % 2)),
    });
  const after = await runPart(part.predictionBonus, pieces('novelty'), {
    batch: 4,
    act: said(9, 3),
    ports: { 'model/initial': { act: said(1, 9) } },
  });
  // ((0 − 1)² + (3 − 1)²) / 2
  expect([...(after['credit/bonus'] as PerToken<Float64Array>).values]).toEqual([
    0, 2.5, 2.5, 2.5, 0, 2.5, 2.5,
  ]);
});

describe('latents', () => {
  const world = controlWorldById('control/deep-sea', 'world');

  test('are unit vectors in all directions, or noise; one for each episode of each copy', () => {
    const copies = new Copies(world, 400, 3);
    const latents = new Latents(copies, { kind: 'sphere', size: 4 }, 3);
    const all = Array.from({ length: 400 }, (_, copy) => [...latents.of(copy)]);
    for (const each of all) expect(Math.hypot(...each)).toBeCloseTo(1, 6);
    for (let k = 0; k < 4; k++)
      // deviation ½, so four standard errors of the mean of 400 are 0.1
      expect(Math.abs(all.reduce((total, each) => total + each[k], 0) / 400)).toBeLessThan(0.1);
    expect(new Set(all.map(String)).size).toBe(400);
    expect([...new Latents(copies, { kind: 'sphere', size: 4 }, 3).of(7)]).toEqual(all[7]);
    const noise = new Latents(copies, { kind: 'noise', size: 4 }, 3).of(7);
    const drawn = new Float32Array(4);
    normals(drawn, 3, 'control-latent', 7, 0);
    noise.forEach((x, k) => expect(x).toBeCloseTo(Math.sign(drawn[k]) * Math.sqrt(Math.abs(drawn[k])), 6));
  });

  test('stay through an episode, and stand behind observations', () => {
    const copies = new Copies(world, 2, 3);
    const latents = new Latents(copies, { kind: 'sphere', size: 3 }, 3);
    const first = [...latents.of(1)];
    for (let t = 0; t < world.limit; t++) copies.step([0, 1]);
    expect([...latents.of(1)]).toEqual(first);
    latents.begin(1);
    expect([...latents.of(1)]).not.toEqual(first);
    const all = latents.behind(copies.last);
    expect([...all]).toEqual([
      ...copies.last.slice(0, 2),
      ...latents.of(0),
      ...copies.last.slice(2),
      ...latents.of(1),
    ]);
    const none = new Latents(copies, undefined, 3).behind(copies.last);
    expect([...none]).toEqual([...copies.last]);
    expect(none).not.toBe(copies.last);
  });
});

test('visits are counted where states are countable', () => {
  const copies = new Copies(controlWorldById('control/four-rooms', 'world'), 2, 1);
  const visits = new Visits(copies);
  const size = copies.world.table?.size ?? 0;
  expect(visits.visited).toBeCloseTo(1 / size, 12);
  expect(visits.spread).toBe(0);
  visits.count(Uint32Array.of(5, 6));
  expect(visits.visited).toBeCloseTo(3 / size, 12);
  // shares ½, ¼, ¼
  expect(visits.spread).toBeCloseTo((1.5 * Math.LN2) / Math.log(size), 12);
  expect(new Visits(copies, visits.save()).spread).toBe(visits.spread);
  const uncounted = new Visits(new Copies(controlWorldById('control/cart-pole', 'world'), 2, 1));
  expect([uncounted.visited, uncounted.spread]).toEqual([0, 0]);
});

const small = (id: string, more: object = {}): RunSpec =>
  checkSpec({
    method: { id, params: { copies: 4, epochs: 2, minibatches: 2 } },
    models: { policy: { kind: 'network', hidden: [8, 8] } },
    task: { kind: 'control', id: 'control/deep-sea' },
    budget: { steps: 24, batch: 60 },
    evaluation: { problems: 5 },
    checkpoints: { every: 8 },
    seed: 4,
    ...more,
  });
const measured = (events: readonly { type: string }[]) =>
  events.flatMap((event) => {
    if (event.type !== 'metrics') return [];
    const { values } = event as unknown as { values: Record<string, number> };
    return Object.entries(values).filter(([name]) => !/^(seconds|system|tokens_per)/.test(name));
  });

test.each([
  ['rle', ['bonus/mean', 'bonus/error', 'coverage/states', 'coverage/spread']],
  ['rnd', ['bonus/mean', 'bonus/error', 'predictor/error', 'coverage/states']],
  ['noisy-ppo', ['value/error', 'coverage/states']],
] as const)('a run of %s that was stopped goes on to the same bits', async (id, names) => {
  const whole = await runInto(device, small(id), join(folder, `${id} whole`));
  const parts = join(folder, `${id} parts`);
  const first = await runInto(device, small(id), parts, { stopAfter: 9 });
  expect(first.outcome).toBe('stopped');
  const rest = await runInto(device, small(id), parts, {
    attempt: 2,
    resumeFrom: lastCheckpoint(first.seen),
  });
  const [a, b] = await Promise.all([whole, rest].map(({ seen }) => readCheckpoint(lastCheckpoint(seen))));
  expect(b.model.parameters.flat).toEqual(a.model.parameters.flat);
  expect(b.state).toEqual(a.state);
  const metrics = measured(rest.seen);
  expect(metrics.length).toBeGreaterThan(50);
  expect(metrics).toEqual(measured(whole.seen).slice(-metrics.length));
  expect(metrics.map(([name]) => name)).toEqual(expect.arrayContaining([...names, 'eval/return']));
});

test('a network of one kind of exploring does not start another', async () => {
  const { seen } = await runInto(
    device,
    small('rle', { budget: { steps: 4, batch: 60 } }),
    join(folder, 'start'),
  );
  const resources = { ...noResources, checkpoints: { c: lastCheckpoint(seen) } };
  const models = { policy: { kind: 'checkpoint', checkpointId: 'c' } } as const;
  expect(
    await rejected(runInto(device, small('rnd', { models }), join(folder, 'other'), { resources })),
  ).toMatchObject({ kind: 'invalid-input', where: 'models.policy.checkpointId' });
  const again = small('rle', { models, budget: { steps: 0, batch: 60 } });
  const own = await runInto(device, again, join(folder, 'again'), { resources });
  expect(own.outcome).toBe('done');
});
