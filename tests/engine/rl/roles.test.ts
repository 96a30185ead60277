import { beforeAll, describe, expect, test } from 'vitest';
import { checkSpec } from '../../../engine/index.ts';
import { liveStages, methodFaults, problems } from '../../../engine/rl/kernel/check.ts';
import { stubOf } from '../../../engine/rl/tasks/kinds/index.ts';
import { verifiable } from '../../../engine/rl/tasks/kinds/verifiable.ts';
import { methods } from '../../../engine/rl/methods/index.ts';
import * as part from '../../../engine/rl/parts/index.ts';
import { frozen, role, type Recipe } from '../../../engine/rl/kernel/recipe.ts';
import { stepsOf, totalSteps, units } from '../../../engine/rl/kernel/schedule.ts';
import { pipe, stage } from '../../../engine/rl/kernel/stage.ts';
import { openDevice, type Device } from '../../../engine/runtime/index.ts';
import { echo } from '../../support/echo.ts';
import { runToy, toyModel } from '../../support/toy-run.ts';

let device: Device;
beforeAll(async () => {
  device = await openDevice({ id: 'cpu', threads: 1 });
});

test('roles take turns by the schedule, and a reader trains on rows of earlier turns', async () => {
  expect(methodFaults(echo, stubOf)).toEqual([]);
  const spec = checkSpec({
    method: { id: 'grpo' },
    models: toyModel,
    task: { kind: 'world', id: 'toy/copy' },
    budget: { steps: 8, batch: 3 },
    sampling: { maxTokens: 3 },
    evaluation: { problems: 0 },
  });
  const seen = await runToy(device, spec, { method: echo });
  const turns = seen.flatMap((event) => (event.type === 'metrics' ? [`${event.role} ${event.step}`] : []));
  expect(turns).toEqual([
    'policy 1',
    'policy 2',
    'policy 3',
    'policy 4',
    'policy 5',
    'reader 6',
    'policy 7',
    'reader 8',
  ]);
  const written = seen.flatMap((event) => (event.type === 'trajectories' ? event.rows : []));
  expect(written.every((row) => row.role === 'policy')).toBe(true);
  expect(written.map((row) => row.policyVersion)).toContain('toy/1/policy/5');
});

test('a run ends with its budget, even between two epochs over the same rows', async () => {
  const spec = checkSpec({
    method: { id: 'grpo', params: { groupSize: 4, epochs: 3 } },
    models: toyModel,
    task: { kind: 'world', id: 'toy/copy' },
    budget: { steps: 5, batch: 3 },
    sampling: { maxTokens: 3 },
    evaluation: { problems: 0 },
  });
  const seen = await runToy(device, spec);
  expect(seen.flatMap((event) => (event.type === 'metrics' ? [event.step] : []))).toEqual([1, 2, 3, 4, 5]);
});

test('a filter removes rows from training, but not from the record or the metrics', async () => {
  const grpo = (dropFlat: boolean) =>
    checkSpec({
      method: { id: 'grpo', params: { groupSize: 2, dropFlat } },
      models: toyModel,
      task: { kind: 'world', id: 'toy/copy', params: { letters: 8 } },
      budget: { steps: 1, batch: 12 },
      sampling: { maxTokens: 3 },
      evaluation: { problems: 0 },
    });
  const facts = async (dropFlat: boolean) => {
    const seen = await runToy(device, grpo(dropFlat));
    const metrics = seen.find((event) => event.type === 'metrics');
    if (metrics?.type !== 'metrics') throw new Error('no metrics were reported');
    const { frac_reward_zero_std: flat, 'reward/mean': mean } = metrics.values;
    return {
      rows: seen.flatMap((event) => (event.type === 'trajectories' ? event.rows : [])).length,
      flat,
      mean,
    };
  };
  const all = await facts(false);
  expect(all).toMatchObject({ rows: 24 });
  expect(all.flat).toBeGreaterThan(0);
  expect(await facts(true)).toEqual(all);
});

test.each([
  ['a loss that is not a number', Number.NaN, 'step 3, loss', 'the loss is NaN'],
  [
    'a gradient whose norm exceeds float32',
    1e30,
    expect.stringMatching(/^step 3, tensor transformer\.\S+$/),
    'the gradient of transformer.',
  ],
])(
  '%s is skipped and reported, and ends the run at the third in a row, naming the tensor',
  async (_, agreement, where, message) => {
    const spec = checkSpec({
      method: { id: 'dpo' },
      models: toyModel,
      task: { kind: 'world', id: 'toy/pairs' },
      budget: { steps: 9, batch: 4 },
      evaluation: { problems: 0 },
    });
    const broken = runToy(device, spec, {
      prepare: (data) => ({
        ...data,
        pairs: data.pairs && {
          size: data.pairs.size,
          at: (draw) => ({ ...data.pairs!.at(draw), agreement }),
        },
      }),
    });
    await expect(broken).rejects.toMatchObject({
      kind: 'numeric',
      where,
      message: expect.stringContaining(message),
    });
  },
);

describe('recipe validation', () => {
  const rows = pipe(verifiable.stub.prompts, part.sampleGroups({ groupSize: 2 }));
  const sound: Recipe = {
    roles: { a: role({ rows, objective: part.entropyBonus }) },
    buffers: {},
    schedule: [{ turns: { a: 1 } }],
  };
  test('accepts a valid recipe', () => expect(problems(sound)).toEqual([]));
  test.each<[string, Recipe]>([
    ['is not a role', { ...sound, schedule: [{ turns: { a: 1, b: 1 } }] }],
    ['is not a role', { ...sound, buffers: { old: { of: 'b', last: 1, fresh: false } } }],
    ['is frozen and cannot learn', { ...sound, roles: { a: frozen(rows) } }],
    ['no turn to learn in', { ...sound, schedule: [{ turns: { a: 0 } }] }],
    ['the next one never begins', { ...sound, schedule: [{ turns: { a: 1 } }, { turns: { a: 1 } }] }],
    [
      'which nothing provides',
      { ...sound, roles: { a: { ...rows, objective: part.klToReference({ estimator: 'k3' }) } } },
    ],
    [
      'overwrites',
      {
        ...sound,
        roles: {
          a: {
            ...rows,
            stages: [
              ...rows.stages,
              stage({
                id: 'again',
                station: 'context',
                needs: ['mask'],
                adds: ['tokens'],
                run: async () => {
                  throw new Error('never run');
                },
              }),
            ],
            objective: part.entropyBonus,
          },
        },
      },
    ],
    [
      'every weight is 0',
      {
        ...sound,
        roles: {
          a: { ...rows, objective: { id: 'nothing', station: 'objective' as const, needs: [], terms: [] } },
        },
      },
    ],
  ])('%s', (words, recipe) => expect(problems(recipe).join('; ')).toContain(words));
});

test('skips stages whose columns are not needed', () => {
  const grpo = methods.find(({ id }) => id === 'grpo');
  if (!grpo) throw new Error('no grpo');
  const stagesOf = (params: object) => {
    const {
      roles: { policy },
    } = grpo.recipe(params, verifiable.stub);
    return liveStages(policy.stages, policy.objective?.needs ?? []).map(({ id }) => id);
  };
  expect(stagesOf({ klWeight: 0.1 })).toContain('logpUnder(initial)');
  expect(stagesOf({ klWeight: 0 })).not.toContain('logpUnder(initial)');
  expect(stagesOf({ dropFlat: true })).toContain('dropFlatGroups');
});

test('a schedule that ends before the budget ends the run', () => {
  const recipe: Recipe = {
    roles: { a: { stages: [], has: [], ports: [], objective: part.entropyBonus, epochs: 3 }, b: frozen() },
    buffers: {},
    schedule: [{ rounds: 2, turns: { a: 2, b: 0 } }],
  };
  const all = [...units(recipe.schedule)];
  expect(all.map(({ role: name, endsTurn }) => `${name} ${endsTurn}`)).toEqual([
    'a false',
    'a true',
    'b true',
    'a false',
    'a true',
    'b true',
  ]);
  expect(all.map((unit) => stepsOf(recipe, unit))).toEqual([3, 3, 0, 3, 3, 0]);
  expect(totalSteps(recipe, 100)).toBe(12);
  expect(totalSteps(recipe, 5)).toBe(5);
});
