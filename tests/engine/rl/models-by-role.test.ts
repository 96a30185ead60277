import { mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import * as z from 'zod';
import { checkSpec } from '../../../engine/index.ts';
import { readCheckpoint } from '../../../engine/models/checkpoint.ts';
import { coTrain, role } from '../../../engine/rl/kernel/recipe.ts';
import { pipe } from '../../../engine/rl/kernel/stage.ts';
import { methodOf } from '../../../engine/rl/methods/index.ts';
import { roleSpec } from '../../../engine/rl/run/role-spec.ts';
import { stubOf } from '../../../engine/rl/tasks/kinds/index.ts';
import { defineMethod } from '../../../engine/rl/methods/define-method.ts';
import * as part from '../../../engine/rl/parts/index.ts';
import { openDevice, type Device } from '../../../engine/runtime/index.ts';
import { ModelSource } from '../../../engine/schema/model.ts';
import { OptimizerSpec, type RunSpec, type RunSpecInput } from '../../../engine/schema/run-spec.ts';
import { caught } from '../../support/errors.ts';
import { remembers } from '../../support/remembers.ts';
import { found, lastCheckpoint, noResources, runInto, toyModel, type Seen } from '../../support/toy-run.ts';

let device: Device;
let folder: string;
let folders = 0;
beforeAll(async () => {
  device = await openDevice({ id: 'cpu', threads: 1 });
  folder = await mkdtemp(join(tmpdir(), 'whetstone-roles-'));
});
afterAll(async () => {
  await device.close();
  await rm(folder, { recursive: true, force: true });
});
const place = () => join(folder, String(folders++));

const architecture = { width: 32, layers: 1, heads: 2, context: 24 } as const;
const base = {
  task: { kind: 'world', id: 'toy/copy' },
  models: toyModel,
  sampling: { maxTokens: 4 },
  evaluation: { problems: 40, samples: 2 },
} as const satisfies Partial<RunSpecInput>;
const kdrl = (more: Partial<RunSpecInput> = {}) => ({
  ...base,
  method: { id: 'kdrl' },
  ...more,
  models: { ...toyModel, teacher: toyModel.policy, ...more.models },
});

describe('snapshots of the policy', () => {
  test('the average moves after each update by its decay', async () => {
    const spec = checkSpec({
      ...base,
      method: { id: 't1', params: { groupSize: 4, decay: 0.75 } },
      optimizer: { learningRate: 0.01 },
      budget: { steps: 4, batch: 4 },
      evaluation: { problems: 0 },
      checkpoints: { every: 1, keep: 9 },
    });
    const { seen } = await runInto(device, spec, place());
    const paths = seen.flatMap((event) => (event.type === 'checkpoint' ? [event.checkpoint.path] : []));
    const saved = await Promise.all(paths.map((path) => readCheckpoint(path)));
    const averages = saved.map(({ optimizer }) => optimizer?.['snapshot/average'] ?? new Float32Array());
    for (let step = 1; step < 4; step++) {
      const current = saved[step].model.parameters.flat;
      const expected = averages[step - 1].map((mean, p) => 0.75 * mean + 0.25 * current[p]);
      expect(averages[step]).toEqual(expected);
      expect(averages[step]).not.toEqual(current);
    }
  });

  test('the previous one is a batch of updates behind', async () => {
    const spec = checkSpec({
      ...base,
      method: { id: 'grpo' },
      optimizer: { learningRate: 0.01 },
      budget: { steps: 6, batch: 4 },
      evaluation: { problems: 0 },
      checkpoints: { every: 2, keep: 9 },
    });
    const { seen } = await runInto(device, spec, place(), { method: remembers });
    const paths = seen.flatMap((event) => (event.type === 'checkpoint' ? [event.checkpoint.path] : []));
    const saved = await Promise.all(paths.map((path) => readCheckpoint(path)));
    for (const batch of [1, 2])
      expect(saved[batch].optimizer?.['snapshot/previous']).toEqual(saved[batch - 1].model.parameters.flat);
  });

  test('a run without references to them saves none', async () => {
    const spec = checkSpec({
      ...base,
      method: { id: 'grpo', params: { groupSize: 4 } },
      budget: { steps: 1, batch: 4 },
      evaluation: { problems: 0 },
    });
    const { seen } = await runInto(device, spec, place());
    const { optimizer = {} } = await readCheckpoint(lastCheckpoint(seen));
    expect(Object.keys(optimizer).filter((name) => name.startsWith('snapshot'))).toEqual([]);
  });
});

describe('a teacher', () => {
  const clean = { kind: 'world', id: 'toy/copy', params: { letters: 4, wrong: 0 } } as const;

  test('alone brings a new model to its accuracy, and is not saved with the run', async () => {
    const taught = checkSpec({
      ...base,
      method: { id: 'sft' },
      task: clean,
      optimizer: { learningRate: 1e-2, schedule: 'cosine' },
      budget: { steps: 150, batch: 32 },
    });
    const before = await runInto(device, taught, place());
    const teacher = { kind: 'checkpoint', checkpointId: 'teacher' } as const;
    const spec = checkSpec(
      kdrl({
        task: clean,
        models: { policy: toyModel.policy, teacher },
        method: {
          id: 'kdrl',
          params: { groupSize: 4, teacherWeight: 1, teacherWeightEnd: 1, scaleBy: 'none' },
        },
        // without a reward only the teacher says what is right
        rewards: [{ id: 'length', weight: 1e-6 }],
        optimizer: { learningRate: 1e-2 },
        budget: { steps: 120, batch: 16 },
      }),
    );
    const resources = { ...noResources, checkpoints: { teacher: lastCheckpoint(before.seen) } };
    const { seen } = await runInto(device, spec, place(), { resources });
    const [theirs, own] = [found(before.seen, 'evaluation/gold'), found(seen, 'evaluation/gold')];
    expect(theirs).toBeGreaterThan(0.9);
    expect(own).toBeGreaterThan(theirs - 0.15);
    expect(found(seen, 'kl/teacher')).toBeLessThan(0.1);
    const { optimizer = {} } = await readCheckpoint(lastCheckpoint(seen));
    expect(Object.keys(optimizer).filter((name) => name.startsWith('teacher'))).toEqual([]);
  });

  test('with other tokens than the policy is refused', async () => {
    const bytes = checkSpec({
      ...base,
      models: { policy: { ...toyModel.policy, tokenizer: { kind: 'bytes' } } },
      method: { id: 'sft' },
      budget: { steps: 1, batch: 2 },
      evaluation: { problems: 0 },
    });
    const before = await runInto(device, bytes, place());
    const spec = checkSpec(
      kdrl({
        models: { policy: toyModel.policy, teacher: { kind: 'checkpoint', checkpointId: 'bytes' } },
        budget: { steps: 1, batch: 2 },
      }),
    );
    const resources = { ...noResources, checkpoints: { bytes: lastCheckpoint(before.seen) } };
    await expect(runInto(device, spec, place(), { resources })).rejects.toMatchObject({
      kind: 'invalid-input',
      where: 'models.teacher',
    });
  });
});

/** Two policies: the second learns from its own answers to the same prompts, and counts its batches. */
const pair = defineMethod({
  id: 'pair',
  title: 'Pair',
  summary: '',
  cites: '',
  task: 'verifiable',
  produces: 'policy',
  suggested: {},
  params: z.object({}),
  recipe: (_, task) => {
    const learner = () =>
      role({
        rows: pipe(
          task.prompts,
          part.sampleGroups({ groupSize: 2 }),
          part.score(task.reward),
          part.centerByGroup({ scaleBy: 'none' }),
        ),
        objective: part.clippedSurrogate({ clipLow: 0.2, clipHigh: 0.2 }),
      });
    return coTrain({
      buffers: {},
      roles: { policy: learner(), second: learner() },
      schedule: [{ turns: { policy: 1, second: 1 } }],
    });
  },
});

const pairSpec = (roles?: RunSpec['roles'], models: Partial<RunSpecInput['models']> = {}): RunSpec => ({
  ...checkSpec({
    ...base,
    method: { id: 'grpo' },
    models: { ...toyModel, ...models },
    budget: { steps: 4, batch: 4 },
    evaluation: { problems: 0 },
  }),
  ...(roles && { roles }),
});

describe('each role has its own', () => {
  const small = { ...toyModel.policy, architecture: { ...architecture, width: 16 } } as const;
  const run = (roles?: RunSpec['roles'], second?: ModelSource) => {
    const spec = pairSpec(roles);
    const models = second ? { ...spec.models, second } : spec.models;
    return runInto(device, { ...spec, models }, place(), { method: pair });
  };
  const secondOf = async (seen: readonly Seen[]): Promise<Float32Array> => {
    const { optimizer = {} } = await readCheckpoint(lastCheckpoint(seen));
    return optimizer['second/parameters'];
  };

  test('model', async () => {
    const source = ModelSource.parse(small);
    const [shared, own] = [await run(), await run(undefined, source)];
    expect((await secondOf(own.seen)).length).toBeLessThan((await secondOf(shared.seen)).length);
  });

  test('random weights, if it is new', async () => {
    const frozen = { second: { optimizer: OptimizerSpec.parse({ learningRate: 0 }) } };
    const [shared, own] = [await run(frozen), await run(frozen, ModelSource.parse(toyModel.policy))];
    expect(await secondOf(own.seen)).toHaveLength((await secondOf(shared.seen)).length);
    expect(await secondOf(own.seen)).not.toEqual(await secondOf(shared.seen));
  });

  test('optimizer', async () => {
    const [still, moved] = [
      await run({ second: { optimizer: OptimizerSpec.parse({ learningRate: 0 }) } }),
      await run({ second: { optimizer: OptimizerSpec.parse({ learningRate: 0.1 }) } }),
    ];
    expect(await secondOf(still.seen)).not.toEqual(await secondOf(moved.seen));
  });

  test('sampling', async () => {
    const { seen } = await run({ second: { sampling: { temperature: 0.5, maxTokens: 1 } } });
    const rows = seen.flatMap((event) => (event.type === 'trajectories' ? event.rows : []));
    const longest = (name: string) =>
      Math.max(...rows.filter((row) => row.role === name).map((row) => row.tokens.length - row.promptLength));
    expect(longest('second')).toBe(1);
    expect(longest('policy')).toBeGreaterThan(1);
  });

  test('rewards', async () => {
    const { seen } = await run({ second: { rewards: [{ id: 'length', weight: 2, params: {} }] } });
    const rows = seen.flatMap((event) => (event.type === 'trajectories' ? event.rows : []));
    const scorers = (name: string) => Object.keys(rows.find((row) => row.role === name)?.scores ?? {});
    expect(scorers('second')).toEqual(['length']);
    expect(scorers('policy')).toEqual(['verifier']);
  });
});

describe('a spec is refused, with the field,', () => {
  const grpo = (more: object) => ({ ...base, method: { id: 'grpo' }, ...more });
  test.each<[string, object, string]>([
    ['without a model for the teacher', { ...kdrl(), models: toyModel }, 'models.teacher'],
    ['with a model of a role that is not there', grpo({ models: kdrl().models }), 'models.teacher'],
    ['with settings of a role that is not there', grpo({ roles: { critic: {} } }), 'roles.critic'],
    ['with settings of the policy beside the run’s', grpo({ roles: { policy: {} } }), 'roles.policy'],
    [
      'with an optimizer of a frozen role',
      kdrl({ roles: { teacher: { optimizer: {} } } }),
      'roles.teacher.optimizer',
    ],
    [
      'with rewards of a role that is not scored',
      kdrl({ roles: { teacher: { rewards: [{ id: 'length' }] } } }),
      'roles.teacher.rewards',
    ],
    [
      'with rewards of a role whose rows come scored',
      { ...base, method: { id: 'oreo' }, roles: { critic: { rewards: [{ id: 'length' }] } } },
      'roles.critic.rewards',
    ],
    [
      'with an adapter of a new model',
      kdrl({ roles: { teacher: { adapter: { kind: 'lora' } } } }),
      'roles.teacher.adapter',
    ],
    [
      'with a bad value of a role’s setting',
      { ...base, method: { id: 'ppo' }, roles: { critic: { optimizer: { learningRate: -1 } } } },
      'roles.critic.optimizer.learningRate',
    ],
    [
      'with a model that has a misspelt field',
      { ...kdrl(), models: { ...toyModel, teacher: { kind: 'checkpoint', checkpoint: 'x' } } },
      'models.teacher',
    ],
  ])('%s', (_, spec, where) => {
    const error = caught(() => checkSpec(spec));
    expect(error.kind).toBe('invalid-input');
    expect(error.where).toMatch(new RegExp(`^${where}`));
  });

  test('and a new critic beside an adapted policy has no adapter', () => {
    const spec = checkSpec({
      ...base,
      method: { id: 'ppo' },
      models: { policy: { kind: 'checkpoint', checkpointId: 'c' }, critic: toyModel.policy },
      adapter: { kind: 'lora' },
    });
    const recipe = methodOf(spec).recipe(spec.method.params, stubOf(methodOf(spec)));
    expect(roleSpec(spec, recipe, 'critic').adapter).toEqual({ kind: 'none' });
    expect(roleSpec(spec, recipe, 'policy').adapter).toMatchObject({ kind: 'lora' });
  });

  test('and settings that a role leaves out are the run’s', () => {
    const { roles, optimizer } = checkSpec({
      ...base,
      method: { id: 'ppo' },
      optimizer: { learningRate: 3e-3, beta2: 0.9 },
      roles: { critic: { optimizer: { learningRate: 0.01 } } },
    });
    expect(roles?.critic.optimizer).toEqual({ ...optimizer, learningRate: 0.01 });
  });
});
