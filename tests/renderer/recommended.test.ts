import { describe, expect, it } from 'vitest';
import {
  controlWorldInfos,
  checkSpec,
  methods,
  recommended,
  rewards,
  specSchema,
  systemFacts,
  taskKinds,
  worlds,
} from '../../engine/index.ts';
import { onePass } from '../../engine/common/suggested.ts';
import { TaskSpec, type RunSpec, type RunSpecInput } from '../../engine/schema/run-spec.ts';
import { evaluatedAlong } from '../../main/commands/recommended.ts';
import * as demo from '../../main/demo/plan.ts';
import { differences } from '../../main/ipc/differences.ts';
import type { WhetstoneClient } from '../../preload/contract/index.ts';
import type { Dataset } from '../../preload/contract/datasets.ts';
import type { Checkpoint } from '../../preload/contract/runs.ts';
import type { Catalogue } from '../../renderer/features/runs/form/launch.svelte.ts';
import { mainFieldsOf } from '../../renderer/features/runs/form/field-values.ts';
import { evolvingCheckpoint, evolvingModel, evolvingRun } from '../../renderer/lib/evolve.ts';
import { startFrom, trainBase } from '../../renderer/lib/starts.ts';
import { LaunchView } from '../../renderer/views/launch.svelte.ts';

const catalogue = structuredClone({
  methods,
  taskKinds,
  worlds,
  controlWorlds: controlWorldInfos,
  rewards,
  composers: [],
  controllers: [],
  spec: specSchema,
  recommended,
}) as unknown as Catalogue;

type Workspace = ConstructorParameters<typeof LaunchView>[0];

/** A workspace as the services report it: runs with one checkpoint each, oldest first, and label sets. */
function workspace(
  runs: Readonly<Record<string, unknown>> = {},
  { labelSets = [] as string[], datasets = [] as object[], decided = 200 } = {},
): Workspace {
  const checkpoints = Object.keys(runs).map(
    (runId, createdAt) =>
      ({
        id: `last of ${runId}`,
        runId,
        runName: runId,
        createdAt,
        method: 'sft',
        head: 'next-token',
      }) as Checkpoint,
  );
  const stored = Object.entries(runs).map(([id, spec]) => ({ id, spec: checkSpec(spec) }));
  return {
    runs: {
      catalogue: async () => structuredClone(catalogue),
      checkpoints: async () => checkpoints,
      list: async ({ archived }: { archived?: boolean }) => (archived ? [] : stored),
      check: async ({ spec }: { spec: unknown }) => checkSpec(spec),
      preflight: () => () => undefined,
    },
    system: { devices: async () => [{ id: 'cpu', title: 'CPU', state: 'works' }] },
    models: { list: async () => [] },
    methods: { systems: async () => structuredClone({ systems: systemFacts }) },
    datasets: { list: async () => datasets },
    labels: {
      sets: async () => labelSets.map((id) => ({ id, name: id, createdAt: 0, decided })),
      reading: async ({ checkpointIds }: { checkpointIds: string[] }) => ({
        bytes: 60,
        readable: checkpointIds,
      }),
    },
  } as unknown as Workspace;
}

/** The unchanged form that a button opens, after its effects have run. */
async function opened(query: Readonly<Record<string, string | undefined>>, client = workspace()) {
  const view = new LaunchView(client, () => undefined);
  await view.load(query);
  view.launch?.checkSoon();
  if (!view.launch) throw new Error('the form did not open');
  return view.launch;
}
const specOf = async (...args: Parameters<typeof opened>): Promise<RunSpec> =>
  checkSpec((await opened(...args)).draft.plain());
const trainedBase = { base: demo.base(3) };
const fromBase = 'last of base';
/** The steps that the demo's plan gives a run on 170 training pairs. */
const onePassOf = (spec: RunSpecInput): RunSpecInput => ({
  ...spec,
  budget: { ...spec.budget, steps: onePass(170, spec.budget?.batch ?? NaN) },
});

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
