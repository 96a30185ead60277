import { describe, expect, it } from 'vitest';
import { checkSpec } from '../../engine/index.ts';
import { differences } from '../../main/ipc/differences.ts';
import { realDifferences } from '../../preload/wire/differences.ts';
import { fieldName } from '../../renderer/features/compare/field-names.ts';
import { markOf, marksAmong } from '../../renderer/lib/run-colors.svelte.ts';

const world = { kind: 'world', id: 'toy/copy' };
const grpo = (more: object = {}, params: object = {}) =>
  checkSpec({
    method: { id: 'grpo', params },
    task: world,
    models: { policy: { kind: 'checkpoint', checkpointId: 'c1' } },
    ...more,
  });
const sft = checkSpec({
  method: { id: 'sft' },
  task: world,
  models: { policy: { kind: 'new', architecture: { width: 16 }, tokenizer: { kind: 'characters' } } },
});
const shown = (...specs: Parameters<typeof differences>[0]) =>
  realDifferences(differences(specs).map((each) => ({ ...each, names: each.values.map(() => null) }))).map(
    ({ path }) => path,
  );

describe('the differences between configurations', () => {
  it('leave out parameters that only the method or the model of one run has', () => {
    const all = differences([grpo(), sft]).map(({ path }) => path);
    expect(all.filter((path) => path.startsWith('method.params.')).length).toBeGreaterThan(0);
    expect(all).toContain('models.policy.architecture.width');
    const real = shown(grpo(), sft);
    expect(real).toContain('method.id');
    expect(real).toContain('models.policy.kind');
    expect(real).toContain('models.policy.checkpointId');
    // both methods have this one, with other defaults
    expect(real.filter((path) => /params|architecture|tokenizer/.test(path))).toEqual([
      'method.params.average',
    ]);
  });

  it('keep a parameter in which two runs differ, whatever the third does', () => {
    const low = grpo({}, { groupSize: 4 });
    const high = grpo({}, { groupSize: 8 });
    expect(shown(low, high)).toEqual(['method.params.groupSize']);
    expect(shown(low, sft, high)).toContain('method.params.groupSize');
  });

  it('keep a scorer that one run has, without its parameters and the empty list of the other', () => {
    const scored = grpo({ rewards: [{ id: 'length' }] });
    expect(shown(scored, grpo())).toEqual(['rewards.0.id']);
  });
});

describe('the colours of runs that are shown together', () => {
  const huesOf = (indexes: readonly number[]) => marksAmong(indexes).map(({ variable }) => variable);

  it('are their own ones, unless two would share a hue', () => {
    expect(marksAmong([3, 1])).toEqual([markOf(3), markOf(1)]);
    expect(huesOf([0, 7, 14])).toEqual(['--run-0', '--run-1', '--run-2']);
    expect(marksAmong([9])).toEqual([markOf(9)]);
  });

  it('share no hue while one is left, and never a hue and its dash', () => {
    for (const indexes of [
      [0, 7, 14, 21, 28, 35, 42],
      [6, 13, 0, 1, 2, 3, 4],
    ])
      expect(new Set(huesOf(indexes)).size).toBe(7);
    const marks = marksAmong(Array.from({ length: 16 }, (_, at) => 7 * at));
    expect(new Set(marks.map(({ variable, dash }) => variable + dash.join())).size).toBe(16);
  });
});

it('calls a field as the form does, with the list or the role that it belongs to', () => {
  const names = {
    'budget.steps': 'Steps',
    'method.id': 'Method',
    'models.policy.kind': 'Policy',
    'models.policy.checkpointId': 'Checkpoint',
    'models.verifier.kind': 'Verifier',
    'models.verifier.checkpointId': 'Verifier: checkpoint',
    'roles.verifier.optimizer.learningRate': 'Verifier: learning rate',
    'roles.verifier.rewards': 'Verifier: rewards',
    'rewards.0.id': 'Rewards 1',
    'rewards.0.weight': 'Rewards 1: weight',
    'evaluations.0.world.id': 'Evaluations 1: world',
    name: 'Name',
  };
  expect(Object.keys(names).map(fieldName)).toEqual(Object.values(names));
});
