import { mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import * as z from 'zod';
import { checkSpec } from '../../../../engine/index.ts';
import { readCheckpoint } from '../../../../engine/models/checkpoint.ts';
import type { Model } from '../../../../engine/models/model.ts';
import { OpenedModels } from '../../../../engine/models/opened-models.ts';
import { coTrain, frozen, role, teacher } from '../../../../engine/rl/kernel/recipe.ts';
import { pipe } from '../../../../engine/rl/kernel/stage.ts';
import { defineMethod } from '../../../../engine/rl/methods/define-method.ts';
import * as part from '../../../../engine/rl/parts/index.ts';
import type { RoleModel } from '../../../../engine/rl/run/live-role.ts';
import { collectGarbage } from '../../../../engine/rl/run/memory-watch.ts';
import { openSession } from '../../../../engine/rl/run/open-session.ts';
import { openTask, type OpenedTask } from '../../../../engine/rl/run/open-task.ts';
import type { Session } from '../../../../engine/rl/run/session.ts';
import { openDevice, type Device } from '../../../../engine/runtime/index.ts';
import type { Resources } from '../../../../engine/schema/messages.ts';
import type { RunSpec, RunSpecInput } from '../../../../engine/schema/run-spec.ts';
import { lastCheckpoint, noResources, runInto, toyModel } from '../../../support/toy-run.ts';

let folder: string;
const base = {
  task: { kind: 'world', id: 'toy/copy' },
  sampling: { maxTokens: 4 },
  budget: { steps: 2, batch: 4 },
  evaluation: { problems: 0 },
} as const satisfies Partial<RunSpecInput>;
const start = { kind: 'checkpoint', checkpointId: 'start' } as const;
const adapted = { kind: 'checkpoint', checkpointId: 'adapted' } as const;
type Source = typeof start | typeof adapted;
const lora = { kind: 'lora', rank: 2 } as const;

let device: Device;
let resources: Resources;
/** Bytes of the whole model. */
let whole: number;
beforeAll(async () => {
  device = await openDevice({ id: 'cpu', threads: 1 });
  folder = await mkdtemp(join(tmpdir(), 'whetstone-shared-'));
  const trained = (name: string, spec: Partial<RunSpecInput>, from = noResources) =>
    runInto(
      device,
      checkSpec({ ...base, method: { id: 'sft' }, ...spec } as RunSpecInput),
      join(folder, name),
      {
        resources: from,
      },
    ).then(({ seen }) => lastCheckpoint(seen));
  const bytes = { policy: { ...toyModel.policy, tokenizer: { kind: 'bytes' } } } as RunSpecInput['models'];
  const path = await trained('start', { models: bytes });
  const first = { ...noResources, checkpoints: { start: path } };
  const over = await trained('adapted', { models: { policy: start }, adapter: lora }, first);
  resources = { ...noResources, checkpoints: { start: path, adapted: over } };
  whole = (await readCheckpoint(path)).model.parameters.flat.byteLength;
});
afterAll(async () => {
  await device.close();
  await rm(folder, { recursive: true, force: true });
});

/** A policy that learns, and with `second` another role that does, beside frozen ones. */
const cast = (second: boolean) =>
  defineMethod({
    id: 'cast',
    title: 'Cast',
    summary: '',
    cites: '',
    task: 'verifiable',
    produces: 'policy',
    suggested: {},
    params: z.object({}),
    recipe: (_, task) => {
      const learner = () =>
        role({
          rows: pipe(task.prompts, part.sampleGroups({ groupSize: 2 })),
          objective: part.likelihood({ average: 'sequence' }),
        });
      return coTrain({
        buffers: {},
        roles: {
          policy: learner(),
          ...(second && { second: learner() }),
          target: frozen(),
          teacher: teacher(),
          rival: teacher(),
        },
        schedule: [{ turns: { policy: 1, ...(second && { second: 1 }) } }],
      });
    },
  });

const specOf = (
  { policy, ...others }: { readonly policy: Source; readonly [role: string]: Source },
  more: Partial<RunSpecInput> = {},
): RunSpec => {
  const optimizer = { learningRate: 0.01 };
  const spec = checkSpec({ ...base, method: { id: 'grpo' }, optimizer, ...more, models: { policy } });
  return { ...spec, models: { ...spec.models, ...others } };
};

const open = (spec: RunSpec, second = false, opened?: OpenedTask): Promise<Session> =>
  openSession({ runId: 'r', attempt: 1, spec, resources, outDir: folder }, device, {
    method: cast(second),
    ...(opened && { opened }),
  });

const buffersOfModel = ({ parameters, quantized, adapter }: Model): ArrayBufferLike[] => [
  parameters.flat.buffer,
  ...(quantized ? [quantized.codes.buffer, quantized.scales.buffer] : []),
  ...(adapter ? [adapter.parameters.flat.buffer] : []),
];

/** The distinct buffers of weights that a session's roles, references and guide hold. */
const heldBy = ({ roles, decoding }: Session): ArrayBufferLike[] => {
  const references = [roles.initial, ...['previous', 'average'].map((name) => roles.snapshots.modelOf(name))];
  const models = [...references, ...roles.all, ...roles.all.map(({ initial }) => initial)];
  const ofModel = ({ model, live }: RoleModel) => [
    ...buffersOfModel(model),
    live.parameters.flat.buffer,
    ...(live.base?.inputs.arrays ?? []).map(({ buffer }) => buffer),
  ];
  return [
    ...new Set([
      ...models.flatMap((one) => (one ? ofModel(one) : [])),
      ...roles.all.flatMap(({ trained, start: first }) => [
        trained.flat.buffer,
        ...(first ? [first.buffer] : []),
      ]),
      ...(decoding?.guidance ? buffersOfModel(decoding.guidance.model) : []),
    ]),
  ];
};
const bytesOf = (buffers: readonly ArrayBufferLike[]): number =>
  buffers.reduce((sum, { byteLength }) => sum + byteLength, 0);

describe('a session holds equal weights once', () => {
  test('the start of a policy, as it trains, as a named target and as two teachers', async () => {
    const all = { policy: start, target: start, teacher: start, rival: start };
    expect(bytesOf(heldBy(await open(specOf(all))))).toBe(2 * whole);
  });

  test('a target that names no model is the policy’s start', async () => {
    expect(bytesOf(heldBy(await open(specOf({ policy: start, teacher: start, rival: start }))))).toBe(
      2 * whole,
    );
  });

  test('two frozen roles of one source beside another policy', async () => {
    const spec = specOf({ policy: start, teacher: adapted, rival: adapted });
    // the policy's start and the trained one, and the adapter merged into its base
    expect(bytesOf(heldBy(await open(spec)))).toBe(3 * whole);
  });

  test('a role that trains from the policy’s source has one copy of its own', async () => {
    const all = { policy: start, second: start, teacher: start, rival: start };
    expect(bytesOf(heldBy(await open(specOf(all), true)))).toBe(3 * whole);
  });

  test('a guide that is the policy’s start', async () => {
    const guidance = { kind: 'checkpoint', checkpointId: 'start', how: 'mix', weight: 0.5 } as const;
    const spec = checkSpec({
      ...base,
      method: { id: 'sample' },
      models: { policy: start },
      sampling: { maxTokens: 4, guidance },
    });
    const session = await openSession({ runId: 'r', attempt: 1, spec, resources, outDir: folder }, device);
    expect(session.decoding?.guidance).toBeDefined();
    // nothing trains, so that the role is its start too
    expect(bytesOf(heldBy(session))).toBe(whole);
  });

  test('the base of adapters: of the policy, its critic, its start, and of another checkpoint', async () => {
    const spec = checkSpec({
      ...base,
      method: { id: 'ppo' },
      models: { policy: start },
      adapter: lora,
    });
    const critics = await openSession({ runId: 'r', attempt: 1, spec, resources, outDir: folder }, device);
    expect(critics.roles.named('critic').model.adapter).toBeDefined();
    const mixed = specOf({ policy: start, second: adapted, teacher: start, rival: start }, { adapter: lora });
    for (const session of [critics, await open(mixed, true)]) {
      const buffers = heldBy(session);
      const large = buffers.filter(({ byteLength }) => byteLength >= whole / 2);
      expect(bytesOf(large)).toBe(whole);
      // each role's adapter, and the start of those that a stage may refer to
      expect(buffers.length - large.length).toBeLessThanOrEqual(5);
    }
  });

  test('a reward that asks the policy’s start, and one that a role opens again', async () => {
    const likelihood = { id: 'likelihood', params: { checkpointId: 'start' } } as const;
    const spec = checkSpec({
      ...base,
      method: { id: 'ppo' },
      models: { policy: start },
      rewards: [likelihood],
      evaluation: { problems: 2, samples: 1, rewards: [likelihood] },
    });
    const opened = await openTask({ spec, resources });
    const { folder: plain } = opened.models;
    const read: ArrayBufferLike[] = [];
    const models = Object.assign(new OpenedModels(), {
      folder: async (...given: Parameters<typeof plain>) => {
        const found = await plain(...given);
        read.push(found.model.parameters.flat.buffer);
        return found;
      },
    });
    await openSession({ runId: 'r', attempt: 1, spec, resources, outDir: folder }, device, {
      opened: { ...opened, models },
    });
    expect(read).toHaveLength(2);
    expect(new Set(read)).toEqual(new Set([opened.model.parameters.flat.buffer]));
  });
});

describe('what is written to is shared with nothing', () => {
  test('an update leaves the frozen models as they were', async () => {
    const all = { policy: start, second: start, target: start, teacher: start, rival: start };
    const spec = specOf(all);
    const opened = await openTask({ spec, resources }, { method: cast(true) });
    const before = opened.model.parameters.flat.slice();
    const { seen } = await runInto(device, spec, join(folder, 'updated'), {
      method: cast(true),
      resources,
      opened,
    });
    const frozenOnes = Object.values(opened.roleModels).map(({ model }) => model.parameters.flat);
    expect(frozenOnes).toHaveLength(4);
    for (const flat of [opened.model.parameters.flat, ...frozenOnes]) expect(flat).toEqual(before);
    const { model, optimizer = {} } = await readCheckpoint(lastCheckpoint(seen));
    expect(model.parameters.flat).not.toEqual(before);
    expect(optimizer['second/parameters']).not.toEqual(before);
    expect(optimizer['second/parameters']).not.toEqual(model.parameters.flat);
    // frozen ones are opened from their sources again
    expect(Object.keys(optimizer).filter((name) => /^(target|teacher|rival)/.test(name))).toEqual([]);
  });

  test('a head that is fitted belongs to a model that nobody else opens', async () => {
    const spec = (trunk: string) =>
      checkSpec({
        ...base,
        task: { kind: 'world', id: 'toy/pairs' },
        method: { id: 'bradley-terry', params: { trunk } },
        models: { policy: start },
      });
    const rewards = await runInto(device, spec('trained'), join(folder, 'reward'), { resources });
    const judge = { ...noResources, checkpoints: { start: lastCheckpoint(rewards.seen) } };
    for (const [trunk, isShared] of [
      ['trained', true],
      ['frozen', false],
    ] as const) {
      const { model, models } = await openTask({ spec: spec(trunk), resources: judge });
      const again = await models.folder(judge.checkpoints.start, undefined, 'float32');
      expect(again.model.parameters.flat === model.parameters.flat).toBe(isShared);
    }
  });
});

test('a model that nothing uses any more is forgotten', async () => {
  const models = new OpenedModels();
  let opened = 0;
  const size = async () => {
    const { model } = await models.once('one', async () => {
      opened++;
      return readCheckpoint(resources.checkpoints.start);
    });
    return model.parameters.size;
  };
  expect(await Promise.all([size(), size()])).toEqual([whole / 4, whole / 4]);
  expect(opened).toBe(1);
  await collectGarbage();
  await size();
  expect(opened).toBe(2);
});
