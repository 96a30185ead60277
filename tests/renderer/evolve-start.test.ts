import { describe, expect, it } from 'vitest';
import { checkSpec } from '../../engine/index.ts';
import { TaskSpec, type RunSpec } from '../../engine/schema/run-spec.ts';
import * as demo from '../../main/demo/plan.ts';
import type { Dataset } from '../../preload/contract/datasets.ts';
import { mainFieldsOf } from '../../renderer/features/runs/form/field-values.ts';
import { evolvingCheckpoint, evolvingModel, evolvingRun } from '../../renderer/lib/evolve.ts';
import { opened, workspace, type Workspace } from '../support/launch-view.ts';

const trainedBase = { base: demo.base(3) };
const fromBase = 'last of base';

/** Opens the address that a button leads to. */
const followed = (address: string | null, client: Workspace) =>
  opened(Object.fromEntries(new URLSearchParams(address?.split('?')[1])), client);

describe('“Evolve” opens a search in rounds', () => {
  const spec = checkSpec(demo.base(3));
  /** From the checkpoint of a run with this specification, in a workspace with a dataset of this verifier. */
  const from = (of: RunSpec | null, verifier: string | null = null) =>
    evolvingCheckpoint(fromBase, {
      checkpoints: [{ id: fromBase, runId: 'base', head: 'next-token', createdAt: 1 }],
      datasets: [{ id: 'd', doctor: { verifier } } as Dataset],
      specOfRun: () => of,
    });
  it('on the task of the policy, with the verifier, beside plain answers', async () => {
    const { address } = from(spec);
    const launch = await followed(address, workspace(trainedBase));
    expect(checkSpec(launch.draft.plain())).toMatchObject({
      method: {
        id: 'search-rounds',
        // the world of the base has lines, and no “;”
        params: { beside: true, selector: 'none', groupSize: 3, rounds: 4, attempt: '{attempt}\n' },
      },
      task: spec.task,
      models: { policy: { kind: 'checkpoint', checkpointId: fromBase } },
      rewards: [{ id: 'verifier' }],
    });
    const main = mainFieldsOf(launch.sections.method, launch);
    expect(main.map(({ key }) => key)).toEqual(['groupSize', 'rounds', 'shows', 'selector', 'beside']);
    expect(launch.problems).toEqual([]);
  });
  it('with the usual mark behind attempts for a tokenizer that knows every character', async () => {
    const { policy } = spec.models;
    const bytes = { ...spec, models: { policy: { ...policy, tokenizer: { kind: 'bytes' } } } };
    const client = workspace({ base: bytes });
    const { address } = from(spec);
    const launch = await followed(address, client);
    expect(checkSpec(launch.draft.plain()).method.params).toMatchObject({ attempt: '{attempt};' });
  });
  it('after preferences on the world that they are evaluated on, and not without one', async () => {
    const labelTask = TaskSpec.parse({ kind: 'labels', labelSetId: 'l' });
    const labels = { ...spec, task: labelTask };
    const world = { id: 'sorting', params: { levels: 1 } };
    const evaluated = { ...labels, evaluation: { ...spec.evaluation, world } };
    const { address } = from(evaluated);
    const launch = await followed(address, workspace(trainedBase));
    expect(launch.draft.get(['task'])).toEqual({ kind: 'world', ...world });
    const without = { ...labels, evaluation: { ...spec.evaluation, world: null } };
    expect(from(without)).toEqual({
      address: null,
      hint: 'Its run learned from labels, and nothing verifies answers to their prompts.',
    });
  });
  it('on a dataset only if its answers can be verified; an added model is shown words', () => {
    const task = TaskSpec.parse({ kind: 'dataset', datasetId: 'd' });
    const on = (rewards: RunSpec['rewards'], verifier: string | null) =>
      from({ ...spec, task, rewards }, verifier);
    expect(on([], null)).toMatchObject({ address: null, hint: expect.stringContaining('no references') });
    expect(on([], 'match/number').address).toContain('method=search-rounds');
    const match = [{ id: 'match/number', weight: 1, params: {} }];
    expect(on(match, null).address).toContain(encodeURIComponent('match/number'));
    expect(evolvingModel('m').address).toContain('model=m&preset=words');
    expect(from(null).address).toBeNull();
    const nothing = { checkpoints: [], datasets: [], specOfRun: () => spec };
    expect(evolvingRun('base', nothing).hint).toContain('no checkpoint');
  });
  it('in words to what was trained from an added model, however many runs ago', () => {
    const startingFrom = (policy: RunSpec['models']['policy']) => ({
      ...spec,
      models: { ...spec.models, policy },
    });
    const checkpoint = (id: string) => ({ kind: 'checkpoint' as const, checkpointId: id });
    const specs = new Map([
      ['first', startingFrom({ kind: 'model', modelId: 'm', prompts: 'auto' })],
      ['second', startingFrom(checkpoint('of first'))],
      ['third', startingFrom(checkpoint('of second'))],
    ]);
    const checkpoints = [...specs.keys()].map((runId, at) => ({
      id: `of ${runId}`,
      runId,
      head: 'next-token' as const,
      createdAt: at,
    }));
    const known = { checkpoints, datasets: [], specOfRun: (runId: string) => specs.get(runId) };
    for (const runId of specs.keys()) expect(evolvingRun(runId, known).address).toContain('preset=words');
    specs.set('first', spec);
    expect(evolvingRun('third', known).address).not.toContain('preset=words');
  });
});
