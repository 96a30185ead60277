import { describe, expect, it } from 'vitest';
import { checkSpec, systemFacts, worlds } from '../../engine/index.ts';
import { onePass } from '../../engine/common/suggested.ts';
import type { RunSpec, RunSpecInput } from '../../engine/schema/run-spec.ts';
import { evaluatedAlong } from '../../main/commands/recommended.ts';
import * as demo from '../../main/demo/plan.ts';
import { differences } from '../../main/ipc/differences.ts';
import type { WhetstoneClient } from '../../preload/contract/index.ts';
import { startFrom, trainBase } from '../../renderer/lib/starts.ts';
import { opened, workspace } from '../support/launch-view.ts';

const specOf = async (...args: Parameters<typeof opened>): Promise<RunSpec> =>
  checkSpec((await opened(...args)).draft.plain());
const trainedBase = { base: demo.base(3) };
const fromBase = 'last of base';
/** The steps that the demo's plan gives a run on 170 training pairs. */
const onePassOf = (spec: RunSpecInput): RunSpecInput => ({
  ...spec,
  budget: { ...spec.budget, steps: onePass(170, spec.budget?.batch ?? NaN) },
});

describe('the recommended runs match the demo', () => {
  it('base: “Train a base policy” launches the demo’s base, evaluated along the way', async () => {
    expect(differences([await specOf(trainBase()), evaluatedAlong(demo.base(0))])).toEqual([]);
  });
  it('base: also in a workspace that has policies', async () => {
    expect(
      differences([await specOf(trainBase(), workspace(trainedBase)), evaluatedAlong(demo.base(0))]),
    ).toEqual([]);
  });
  it('GRPO: “Start a run from it” on that base launches the demo’s GRPO with the verifier', async () => {
    const of = demo.grpo('grpo-verifier', fromBase, [{ id: 'verifier', weight: 1, params: {} }], 0, {
      evaluationRewards: [],
    });
    expect(differences([await specOf(startFrom(fromBase), workspace(trainedBase)), checkSpec(of)])).toEqual(
      [],
    );
  });
  it('GRPO on a reward model: “Use it as a reward” differs only in the reward', async () => {
    const of = demo.grpo(
      'proxy',
      fromBase,
      [{ id: 'reward-model', weight: 1, params: { checkpointId: 'judge' } }],
      0,
      { evaluationRewards: [] },
    );
    expect(differences([await specOf({ reward: 'judge' }, workspace(trainedBase)), checkSpec(of)])).toEqual(
      [],
    );
  });
  it('DPO on labels: as in the demo, one epoch, except for the choice of pairs', async () => {
    const client = workspace(trainedBase, { labelSets: ['pairs'] });
    const found = differences([
      await specOf({ labels: 'pairs' }, client),
      checkSpec(onePassOf(demo.dpo(fromBase, 'pairs', 0, { evaluationRewards: [] }))),
    ]);
    expect(found.map(({ path }) => path)).toEqual(['task.filter']);
  });
  it('a reward model on labels: as in the demo, one epoch, except for the trunk', async () => {
    const client = workspace(trainedBase, { labelSets: ['pairs'] });
    const found = differences([
      await specOf({ labels: 'pairs', produces: 'reward' }, client),
      checkSpec(onePassOf(demo.rewardModel(fromBase, 'pairs', 0))),
    ]);
    expect(found.map(({ path }) => path)).toEqual(['method.params.trunk']);
  });
});

describe('a form opens with a recommended method', () => {
  it('among those that fit the query', async () => {
    const client = () => workspace(trainedBase, { labelSets: ['pairs'] });
    const method = async (query: Readonly<Record<string, string>>) =>
      (await opened(query, client())).method?.id;
    expect(await method({})).toBe('grpo');
    expect(await method({ world: 'arithmetic' })).toBe('grpo');
    expect(await method({ world: 'sorting' })).toBe('sft');
    expect(await method({ labels: 'pairs' })).toBe('dpo');
    expect(await method({ labels: 'pairs', produces: 'reward' })).toBe('bradley-terry');
    expect(await method({ reward: 'judge' })).toBe('grpo');
    expect(await method({ method: 'rloo' })).toBe('rloo');
    expect((await opened({})).method?.id).toBe('sft');
  });
});

describe('a run that starts from a checkpoint', () => {
  const sorter = {
    ...demo.base(0),
    task: { kind: 'world', id: 'sorting', params: { levels: 2 } },
    sampling: { maxTokens: 30 },
    evaluation: { problems: 40, samples: 4 },
  };
  const task = (id: string) => ({ kind: 'world', id });

  it('takes over the task and the number of evaluation problems of the checkpoint’s run', async () => {
    const spec = await specOf(startFrom('last of sorter'), workspace({ sorter, ...trainedBase }));
    expect(spec).toMatchObject({
      task: { id: 'sorting', params: { levels: 2 } },
      sampling: { maxTokens: 30 },
      evaluation: { problems: 40, samples: 4, world: null },
    });
  });
  it('takes over the evaluation of an earlier run if the checkpoint’s run had none', async () => {
    const written = demo.samples(fromBase, 0);
    const spec = await specOf(startFrom('last of written'), workspace({ ...trainedBase, written }));
    expect(spec).toMatchObject({ method: { id: 'grpo' }, evaluation: { problems: 500, samples: 8 } });
  });
  it('opens on a world with the newest policy that was trained on it', async () => {
    const client = () => workspace({ sorter, ...trainedBase });
    expect(await specOf({ world: 'sorting' }, client())).toMatchObject({
      models: { policy: { checkpointId: 'last of sorter' } },
      task: { params: { levels: 2 } },
    });
    expect(await specOf({ world: 'countdown' }, client())).toMatchObject({
      models: { policy: { kind: 'new' } },
      task: task('countdown'),
    });
  });
  it('has enough context for the answers of its world, also when another is chosen', async () => {
    for (const { id, longest } of worlds) {
      const launch = await opened({ world: id });
      launch.draft.set(['task'], { kind: 'world', id });
      launch.checkSoon();
      const { models, sampling } = checkSpec(launch.draft.plain());
      expect(sampling.maxTokens, id).toBeGreaterThanOrEqual(longest.answer);
      const { context } = (models.policy as { architecture: { context: number } }).architecture;
      expect(context, id).toBeGreaterThanOrEqual(longest.prompt + longest.answer);
    }
  });
  it('takes the task of another chosen checkpoint, until the user chooses a task', async () => {
    const launch = await opened(startFrom(fromBase), workspace({ sorter, ...trainedBase }));
    const choose = (path: string[], value: unknown) => {
      launch.draft.set(path, value);
      launch.checkSoon();
    };
    choose(['models', 'policy', 'checkpointId'], 'last of sorter');
    expect(launch.draft.plain()).toMatchObject({ task: task('sorting'), evaluation: { problems: 40 } });
    choose(['task'], task('spelling'));
    choose(['models', 'policy', 'checkpointId'], fromBase);
    expect(launch.draft.plain()).toMatchObject({ task: task('spelling') });
  });
  it('keeps values that the user has set or cleared', async () => {
    const launch = await opened(startFrom(fromBase), workspace(trainedBase));
    expect(launch.changed('evaluation')).toBe(0);
    launch.draft.set(['evaluation', 'problems'], 20);
    launch.draft.set(['evaluation', 'samples'], undefined);
    launch.checkSoon();
    launch.chooseMethod('rloo');
    expect(launch.draft.plain().evaluation).toMatchObject({ problems: 20 });
    expect(launch.changed('evaluation')).toBe(1);
  });
  it('is evaluated along the way where that costs under a tenth, by what the form shows', async () => {
    const launch = await opened(startFrom(fromBase), workspace(trainedBase));
    const every = () => checkSpec(launch.draft.plain()).evaluation.every;
    const change = (path: string[], value: unknown) => {
      launch.draft.set(path, value);
      launch.checkSoon();
    };
    expect(every(), '500 problems cost more').toBe(0);
    change(['evaluation', 'problems'], 200);
    expect(every()).toBe(27);
    change(['budget', 'steps'], 400);
    expect(every()).toBe(40);
    expect(launch.changed('evaluation'), 'the problems alone').toBe(1);
    change(['evaluation', 'every'], 7);
    change(['budget', 'steps'], 800);
    expect(every()).toBe(7);
  });
  it('trains one epoch on pairs for any batch size, unless the user sets the steps', async () => {
    const launch = await opened({ labels: 'pairs' }, workspace(trainedBase, { labelSets: ['pairs'] }));
    const steps = () => checkSpec(launch.draft.plain()).budget.steps;
    expect(steps()).toBe(6);
    launch.draft.set(['budget', 'batch'], 10);
    launch.checkSoon();
    expect(steps()).toBe(17);
    launch.draft.set(['budget', 'steps'], 40);
    launch.draft.set(['budget', 'batch'], 20);
    launch.checkSoon();
    expect(steps()).toBe(40);
    launch.chooseMethod('grpo');
    expect(launch.draft.get(['budget', 'steps'])).toBe(40);
  });
  it('trains a reward model on few labels for the default number of steps, not for one', async () => {
    const stepsWith = async (decided: number) => {
      const client = workspace(trainedBase, { labelSets: ['pairs'], decided });
      return (await specOf({ labels: 'pairs', produces: 'reward' }, client)).budget.steps;
    };
    const fallback = checkSpec(demo.rewardModel(fromBase, 'pairs', 0)).budget.batch;
    expect(await stepsWith(10 * fallback)).toBe(9);
    expect(await stepsWith(8)).toBeGreaterThan(50);
  });
  it('keeps the evaluation when it learns from labels, which have no problems of their own', async () => {
    const launch = await opened(startFrom(fromBase), workspace(trainedBase, { labelSets: ['pairs'] }));
    launch.chooseMethod('dpo');
    expect(launch.draft.plain()).toMatchObject({
      task: { kind: 'labels' },
      evaluation: { problems: 500, world: { id: 'arithmetic', params: { largestOperand: 9 } } },
    });
    launch.chooseMethod('bradley-terry');
    expect(launch.draft.plain().evaluation).toBeUndefined();
    launch.chooseMethod('grpo');
    expect(launch.draft.plain()).toMatchObject({ task: task('arithmetic'), evaluation: { problems: 500 } });
  });
});

it('random weights on a dataset or on labels are not evaluated on a world', async () => {
  for (const query of [{ labels: 'pairs' }, { dataset: 'd' }]) {
    const launch = await opened(query, workspace({}, { labelSets: ['pairs'] }));
    expect([launch.draft.get(['evaluation']), launch.draft.get(['sampling'])]).toEqual([
      undefined,
      undefined,
    ]);
  }
});

it('a copied run is unchanged', async () => {
  const own = checkSpec({ ...demo.base(5), evaluation: { problems: 7 } });
  const client = workspace({ base: own });
  const runs = { ...client.runs, get: async () => ({ spec: own }) } as unknown as WhetstoneClient['runs'];
  const launch = await opened({ from: 'base' }, { ...client, runs });
  expect(differences([checkSpec(launch.draft.plain()), own])).toEqual([]);
  expect(['optimizer', 'sampling', 'evaluation', 'checkpoints'].map((key) => launch.changed(key))).toEqual([
    0, 0, 0, 0,
  ]);
});

describe('a published system of the Atlas', () => {
  const launchable = systemFacts.filter(({ spec }) => spec !== null);
  it.each(launchable.map((each) => [each.id, each] as const))(
    '%s opens the form filled in with its specification and its name',
    async (system, { name, spec }) => {
      expect(differences([await specOf({ system }), checkSpec({ ...spec, name })])).toEqual([]);
    },
  );
  it('that learns from rewards begins with the newest policy of its world, any other with a new model', async () => {
    const bench = workspace(trainedBase);
    expect((await specOf({ system: 'ghpo' }, bench)).models.policy).toEqual({
      kind: 'checkpoint',
      checkpointId: fromBase,
    });
    expect((await specOf({ system: 'redco' }, bench)).models.policy.kind).toBe('new');
    expect((await specOf({ system: 'past-tense-refusal-gap' }, bench)).models.policy.kind).toBe('new');
  });
  it('without a specification opens no form, and says where those with one are', async () => {
    await expect(opened({ system: 'metra' })).rejects.toMatchObject({
      kind: 'not-found',
      hint: 'The Atlas lists the systems that have one.',
    });
  });
});
