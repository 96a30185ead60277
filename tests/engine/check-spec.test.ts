import { describe, expect, test } from 'vitest';
import { checkSpec, methods } from '../../engine/index.ts';
import { methodOf } from '../../engine/rl/methods/index.ts';
import { caught } from '../support/errors.ts';

const checkpoint = { policy: { kind: 'checkpoint', checkpointId: 'c' } };
const world = { kind: 'world', id: 'arithmetic' };
const good = { method: { id: 'grpo' }, models: checkpoint, task: world };
/** A task that offers what a method learns from; the world of its toy run where it acts in one. */
const taskOf = ({ id, task }: { readonly id: string; readonly task: string }) => {
  if (task === 'preferences') return { kind: 'labels', labelSetId: 'l' };
  if (task === 'control')
    return { kind: 'control', id: methodOf({ method: { id, params: {} } }).sanity?.world };
  return task === 'instructions' ? { kind: 'world', id: 'toy/errands' } : world;
};
const refusal = (spec: unknown) => {
  try {
    checkSpec(spec);
  } catch (error) {
    return error;
  }
  return undefined;
};

/** The spec with the policy's start as the model of each role that needs one. */
const withModels = <S extends { readonly models: { readonly policy: object } }>(
  spec: S,
  roles: readonly { readonly name: string; readonly needsModel: boolean }[],
): S => {
  const needed = roles.filter(({ needsModel }) => needsModel);
  return {
    ...spec,
    models: { ...spec.models, ...Object.fromEntries(needed.map(({ name }) => [name, spec.models.policy])) },
  };
};

test('fills in the method’s suggestions below the chosen values, then every default', () => {
  const spec = checkSpec({ ...good, optimizer: { learningRate: 1e-3 } });
  expect(spec.optimizer).toMatchObject({ learningRate: 1e-3, warmup: 5 });
  expect(spec.budget).toMatchObject({ steps: 80, batch: 32 });
  expect(spec.method.params).toMatchObject({ groupSize: 8, klWeight: 0.01 });
  expect(spec.rewards).toEqual([{ id: 'verifier', weight: 1, params: { value: 'reward' } }]);
});

test(
  'the suggested learning rate for a pretrained model is a small fraction of the usual one, and a ' +
    'second check keeps it',
  () => {
    const added = (adapter?: object) => ({
      ...good,
      method: { id: 'dpo' },
      task: { kind: 'labels', labelSetId: 'l' },
      models: { policy: { kind: 'model', modelId: 'm' } },
      ...(adapter && { adapter }),
    });
    expect(checkSpec({ ...added(), models: checkpoint }).optimizer).toMatchObject({
      learningRate: 1e-4,
      warmup: 5,
    });
    expect(checkSpec(added()).optimizer).toMatchObject({ learningRate: 1e-6, warmup: 5 });
    const withLora = checkSpec(added({ kind: 'lora' }));
    expect(withLora.optimizer.learningRate).toBe(1e-5);
    expect(checkSpec(JSON.parse(JSON.stringify(withLora)))).toEqual(withLora);
    expect(checkSpec({ ...added(), optimizer: { learningRate: 3e-4 } }).optimizer.learningRate).toBe(3e-4);
    // no suggestion may be large enough to ruin a pretrained model
    for (const { id, task, roles, produces } of methods.filter((method) => method.task !== 'control')) {
      const { optimizer } = checkSpec({
        ...withModels(added(), roles),
        method: { id },
        task: taskOf({ id, task }),
      });
      if (produces !== 'rows') expect(optimizer.learningRate, id).toBeLessThanOrEqual(4e-5);
    }
  },
);

test('checking a spec again changes nothing', () => {
  for (const { id, task, roles } of methods) {
    const spec = checkSpec({ ...withModels(good, roles), method: { id }, task: taskOf({ id, task }) });
    expect(checkSpec(JSON.parse(JSON.stringify(spec)))).toEqual(spec);
  }
});

describe('rejects, with the path to the field', () => {
  test.each<[string, unknown]>([
    ['spec', 7],
    ['method.id', { ...good, method: { id: 'gpro' } }],
    ['method.params.clip', { ...good, method: { id: 'grpo', params: { clip: -1 } } }],
    ['method.params.clipp', { ...good, method: { id: 'grpo', params: { clipp: 1 } } }],
    [
      'models.policy.architecture.heads',
      {
        ...good,
        models: {
          policy: { kind: 'new', architecture: { width: 30, heads: 4 }, tokenizer: { kind: 'characters' } },
        },
      },
    ],
    ['optimizer.learningRate', { ...good, optimizer: { learningRate: -1 } }],
    ['optimizer.beta1', { ...good, optimizer: { beta1: 1 } }],
    ['optimizer.beta2', { ...good, optimizer: { beta2: 0.999999999 } }],
    ['optimizer.momentum', { ...good, optimizer: { kind: 'muon', momentum: 1 } }],
    ['optimizer.epsilon', { ...good, optimizer: { epsilon: 1e-50 } }],
    ['budget.stepss', { ...good, budget: { stepss: 3 } }],
    ['budget.steps', { ...good, method: { id: 'direct-advantage' }, budget: { steps: 240 } }],
    ['budget.steps', { ...good, method: { id: 'a-lol', params: { criticSteps: 7 } }, budget: { steps: 7 } }],
    ['task.id', { ...good, task: { kind: 'world', id: 'arithmetics' } }],
    ['task.params.wrong', { ...good, task: { ...world, params: { wrong: 7 } } }],
    ['task', { ...good, task: { kind: 'labels', labelSetId: 'l' } }],
    ['task', { ...good, method: { id: 'sft' }, task: { kind: 'labels', labelSetId: 'l' } }],
    ['task', { ...good, method: { id: 'dpo' } }],
    ['rewards.1.id', { ...good, rewards: [{ id: 'verifier' }, { id: 'charm' }] }],
    ['rewards.0.params.checkpointId', { ...good, rewards: [{ id: 'reward-model' }] }],
    ['rewards', { ...good, rewards: [{ id: 'verifier', weight: 0 }] }],
    [
      'rewards.0.id',
      {
        ...good,
        method: { id: 'sample' },
        task: { kind: 'dataset', datasetId: 'd' },
        rewards: [{ id: 'verifier' }],
      },
    ],
    [
      'rewards.0.params.reward.id',
      { ...good, rewards: [{ id: 'par', params: { reward: { id: 'charm' } } }] },
    ],
    [
      'rewards.0.params.rewards.1.params.scale',
      {
        ...good,
        rewards: [
          {
            id: 'dynamic-weights',
            params: { rewards: [{ id: 'length' }, { id: 'length', params: { scale: 0 } }] },
          },
        ],
      },
    ],
    [
      'rewards.0.params.reward.id',
      {
        ...good,
        method: { id: 'sample' },
        task: { kind: 'dataset', datasetId: 'd' },
        rewards: [{ id: 'par', params: { reward: { id: 'verifier' } } }],
      },
    ],
    ['controllers.0.params.target', { ...good, controllers: [{ id: 'aepo', params: { target: -1 } }] }],
    ['controllers.1.id', { ...good, controllers: [{ id: 'aepo' }, { id: 'aepo' }] }],
    ['controllers.1.id', { ...good, controllers: [{ id: 'sec' }, { id: 'pcl' }] }],
    ['controllers.0.id', { ...good, method: { id: 'copg' }, controllers: [{ id: 'knapsack' }] }],
    ['method.params.kept', { ...good, method: { id: 'rso', params: { candidates: 4, kept: 8 } } }],
    [
      'method.params.wrong',
      { ...good, method: { id: 'generative-verdict', params: { right: 'Yes', wrong: 'Yes' } } },
    ],
    ['evaluation.world.id', { ...good, evaluation: { world: { id: 'nowhere' } } }],
    ['evaluation.rewards.0.id', { ...good, evaluation: { rewards: [{ id: 'charm' }] } }],
  ])('%s', (where, spec) => expect(refusal(spec)).toMatchObject({ kind: 'invalid-input', where }));
});

test('rejects a world’s verifier on a dataset and suggests verifiers for its rows', () => {
  const refused = caught(() =>
    checkSpec({ ...good, task: { kind: 'dataset', datasetId: 'd' }, rewards: [{ id: 'verifier' }] }),
  );
  expect(refused.hint).toContain('match/numeric');
});

describe('a budget that is used up before the run’s own model learns', () => {
  const specWith = (params: object, steps: number) => ({
    ...good,
    method: { id: 'direct-advantage', params },
    budget: { steps },
  });

  test('is rejected with the reason; one more step is accepted', () => {
    expect(refusal(specWith({ criticWarmup: 5, criticEpochs: 3 }, 15))).toMatchObject({
      message: expect.stringMatching(
        /Of 15 steps the policy would learn from none: .* first spends 15 on its critic/,
      ),
      hint: expect.stringContaining('more than 15 steps'),
    });
    expect(refusal(specWith({ criticWarmup: 5, criticEpochs: 3 }, 16))).toBeUndefined();
  });

  test('is accepted with zero steps, which the user requested', () =>
    expect(refusal(specWith({}, 0))).toBeUndefined());

  test('is not what a method’s own suggestions give, nor one step of a recipe that starts with its policy', () => {
    for (const { id, task, roles } of methods) {
      const spec = { ...withModels(good, roles), method: { id }, task: taskOf({ id, task }) };
      expect(refusal(spec), id).toBeUndefined();
      // in these another role learns first: a critic, a verifier, an attacker, an estimator
      if (!['direct-advantage', 'a-lol', 'aw-sampling', 'tango', 'mart', 'spa-rl'].includes(id))
        expect(refusal({ ...spec, budget: { steps: 1 } }), id).toBeUndefined();
    }
  });
});
