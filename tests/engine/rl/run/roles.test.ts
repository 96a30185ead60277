import { describe, expect, test } from 'vitest';
import { checkSpec } from '../../../../engine/index.ts';
import { configOf } from '../../../../engine/models/config.ts';
import { createModel } from '../../../../engine/models/model.ts';
import { RowPrograms } from '../../../../engine/rl/compute/live-model.ts';
import { modelGraph } from '../../../../engine/rl/compute/model-graph.ts';
import { openControl } from '../../../../engine/rl/controllers/index.ts';
import { coTrain, frozen, mainOf, role } from '../../../../engine/rl/kernel/recipe.ts';
import { pipe, stage } from '../../../../engine/rl/kernel/stage.ts';
import { likelihood } from '../../../../engine/rl/parts/objectives/likelihood.ts';
import { Buffers } from '../../../../engine/rl/run/buffers.ts';
import { initialOf } from '../../../../engine/rl/run/initial-model.ts';
import { learnedArrays, restart } from '../../../../engine/rl/run/live-role.ts';
import { openRoles } from '../../../../engine/rl/run/open-role.ts';
import { Roles } from '../../../../engine/rl/run/roles.ts';
import { Device, Tally } from '../../../../engine/runtime/index.ts';
import { bytesTokenizer } from '../../../../engine/text/bytes.ts';
import { caught } from '../../../support/errors.ts';
import { toyModel } from '../../../support/toy-run.ts';

const device = new Device({ id: 'cpu', tally: new Tally() });
const rows = stage({
  id: 'rows',
  needs: [],
  adds: ['tokens', 'mask', 'weight'],
  run: () => Promise.reject(new Error('nothing makes rows here')),
});
const recipe = coTrain({
  buffers: {},
  roles: {
    teacher: frozen(),
    policy: role({ rows: pipe(rows), objective: likelihood({ average: 'token' }), restarts: true }),
  },
  schedule: [{ turns: { policy: 1 } }],
});
const spec = checkSpec({ method: { id: 'sft' }, models: toyModel, task: { kind: 'world', id: 'toy/copy' } });

const open = (counts?: Parameters<typeof openRoles>[1]): Roles => {
  const model = createModel(configOf({ family: 'gpt2', width: 8, layers: 1, heads: 1, context: 8 }, 5), 1);
  const programs = new RowPrograms(device, modelGraph(model.config));
  const control = openControl([], { steps: 1, batch: 1 });
  return new Roles(mainOf(recipe), {
    roles: openRoles(
      { recipe, control, model, tokenizer: bytesTokenizer(), programs, spec, steps: 1 },
      counts,
    ),
    initial: { live: initialOf(programs, model), model, tokenizer: bytesTokenizer() },
    buffers: new Buffers(recipe.buffers),
    openingBytes: 0,
  });
};

describe('roles', () => {
  test('are found by name; the policy is the main role of a run', () => {
    const roles = open();
    expect(roles.all.map(({ name }) => name)).toEqual(['teacher', 'policy']);
    expect(roles.main).toBe(roles.named('policy'));
    expect(caught(() => roles.named('nobody'))).toMatchObject({
      kind: 'internal',
      message: expect.stringContaining("'nobody'") as string,
    });
  });

  test('use the initial model, or another role’s current model', () => {
    const roles = open();
    expect(roles.modelOf('initial')).toBe(roles.initial);
    expect(roles.modelOf('teacher')).toBe(roles.named('teacher'));
    expect(caught(() => roles.modelOf('nobody')).kind).toBe('internal');
  });

  test('count batches and updates, and continue from saved counts', () => {
    const roles = open({ policy: { draws: 4, updates: 3 } });
    roles.main.updates++;
    expect(roles.counts()).toEqual({
      teacher: { draws: 0, updates: 0 },
      policy: { draws: 4, updates: 4 },
    });
  });
});

describe('a role that restarts', () => {
  test('has its initial parameters again, and a new optimizer state', async () => {
    const roles = open();
    const fresh = learnedArrays(roles.main).map((array) => array.slice());
    for (const array of learnedArrays(roles.main)) array.fill(7);
    await restart(roles.main, device);
    expect(learnedArrays(roles.main)).toEqual(fresh);
    expect(fresh.length).toBeGreaterThan(1);
  });

  test('leaves the others unchanged', async () => {
    const teacher = open().named('teacher');
    teacher.trained.flat.fill(7);
    await restart(teacher, device);
    expect(new Set(teacher.trained.flat)).toEqual(new Set([7]));
  });
});
