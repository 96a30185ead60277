import { describe, expect, test } from 'vitest';
import { readCheckpoint } from '../../../engine/models/checkpoint.ts';
import type { Resources } from '../../../engine/schema/messages.ts';
import type { Preference } from '../../../engine/schema/preference.ts';
import type { RunSpecInput } from '../../../engine/schema/run-spec.ts';
import { openWorldById } from '../../../engine/worlds/index.ts';
import { PolicyEvaluation } from '../../../engine/schema/evaluation.ts';
import { RewardInspection } from '../../../engine/schema/evaluation.ts';
import { runsInOneFolder } from '../../support/run-in-folder.ts';
import { found, recorder, toyModel, type Seen } from '../../support/toy-run.ts';

const { run, writeRows, writeText } = runsInOneFolder();
const resultOf = (seen: readonly Seen[], kind: string): unknown => {
  const result = seen.findLast((event) => event.type === 'result' && event.kind === kind);
  return result?.type === 'result' ? result.value : undefined;
};
const rowsOf = (seen: readonly Seen[], purpose: string) =>
  seen
    .flatMap((event) => (event.type === 'trajectories' ? event.rows : []))
    .filter((row) => row.purpose === purpose);

const world = openWorldById('toy/pairs');
/** Labeled pairs of the hidden rule, as JSON lines; every tenth is a tie, and one has no label. */
const labels = async (pairs: number): Promise<string> => {
  const rows = Array.from({ length: pairs }, (_, i): Preference => {
    const { promptId, prompt, a, b, better } =
      world.preference?.('train', i, 3) ??
      (() => {
        throw new Error('no preferences');
      })();
    const verdict = i === 1 ? 'skip' : i % 10 === 0 ? 'tie' : better;
    return {
      pairId: `p${i}`,
      promptId,
      prompt,
      a,
      b,
      verdict,
      correctA: world.verify(prompt, a).correct,
      correctB: world.verify(prompt, b).correct,
    };
  });
  return writeRows(`labels-${pairs}.jsonl`, rows);
};

describe('a reward model, then a policy trained on it', () => {
  test('the inspection follows the contract’s schema, and the policy’s evaluation separates proxy from gold reward', async () => {
    const preferences = { mine: await labels(240) };
    const reward = await run(
      {
        method: { id: 'bradley-terry', params: { trunk: 'trained' } },
        models: toyModel,
        task: { kind: 'labels', labelSetId: 'mine' },
        optimizer: { learningRate: 3e-3 },
        budget: { steps: 40, batch: 32 },
        evaluation: { problems: 40, world: { id: 'toy/pairs' } },
      },
      { preferences },
    );
    expect(reward.saved.head).toBe('reward');
    const inspection = RewardInspection.parse(resultOf(reward.seen, 'reward-inspection'));
    expect(inspection.accuracy).toBeGreaterThan(0.9);
    expect((await readCheckpoint(reward.saved.path)).state).toMatchObject({
      lengthFit: inspection.lengthFit,
    });
    // the judge was trained on answers of these letters only, so the policy uses only them
    const sft = await run({
      method: { id: 'sft' },
      models: toyModel,
      task: { kind: 'world', id: 'toy/pairs' },
      optimizer: { learningRate: 1e-2 },
      budget: { steps: 60, batch: 16 },
      sampling: { maxTokens: 5 },
      evaluation: { problems: 20, samples: 2 },
    });
    const climbed = await run(
      {
        method: { id: 'grpo', params: { groupSize: 4 } },
        models: { policy: { kind: 'checkpoint', checkpointId: 'sft' } },
        task: { kind: 'world', id: 'toy/pairs' },
        rewards: [
          { id: 'reward-model', params: { checkpointId: 'rm', debias: true } },
          { id: 'verifier', weight: 0 },
        ],
        optimizer: { learningRate: 3e-3 },
        budget: { steps: 25, batch: 16 },
        sampling: { maxTokens: 5 },
        evaluation: {
          problems: 20,
          samples: 2,
          rewards: [{ id: 'reward-model', params: { checkpointId: 'rm' } }],
        },
      },
      { checkpoints: { rm: reward.saved.path, sft: sft.saved.path } },
    );
    const before = PolicyEvaluation.parse(resultOf(sft.seen, 'evaluation'));
    const after = PolicyEvaluation.parse(resultOf(climbed.seen, 'evaluation'));
    expect(before.proxy).toBeNull();
    expect(after.proxy).not.toBeNull();
    expect(after.gold).toBeGreaterThan(before.gold + 0.1);
    expect(before.kl).toBeNull(); // it started from random weights
    expect(sft.seen.some((event) => event.type === 'metrics' && 'eval/kl' in event.values)).toBe(false);
    expect(after.kl).toBeGreaterThan(0);
    const [row] = rowsOf(climbed.seen, 'evaluation');
    expect(Object.keys(row.scores).sort()).toEqual([
      'reward-model',
      'reward-model#2',
      'reward-model/raw',
      'verifier',
    ]);
    expect(row.scores['reward-model#2']).toBeCloseTo(row.scores['reward-model/raw'], 5);
    expect(rowsOf(climbed.seen, 'train')).toHaveLength(25 * 16 * 4);
  });

  test('few labels: a head on frozen features, fitted in one step and cross-validated by prompt', async () => {
    const preferences = { few: await labels(120) };
    const sft = await run({
      method: { id: 'sft' },
      models: toyModel,
      task: { kind: 'world', id: 'toy/pairs' },
      optimizer: { learningRate: 1e-2 },
      budget: { steps: 60, batch: 16 },
      evaluation: { problems: 0 },
    });
    const { seen, saved } = await run(
      {
        method: { id: 'bradley-terry' },
        models: { policy: { kind: 'checkpoint', checkpointId: 'sft' } },
        task: { kind: 'labels', labelSetId: 'few' },
      },
      { preferences, checkpoints: { sft: sft.saved.path } },
    );
    expect(seen.find((event) => event.type === 'started')).toMatchObject({ totalSteps: 1 });
    expect(found(seen, 'crossvalidation/accuracy')).toBeGreaterThan(0.7);
    expect(RewardInspection.parse(resultOf(seen, 'reward-inspection')).accuracy).toBeGreaterThan(0.7);
    const [before, after] = [await readCheckpoint(sft.saved.path), await readCheckpoint(saved.path)];
    expect(after.model.parameters.view('transformer.wte.weight')).toEqual(
      before.model.parameters.view('transformer.wte.weight'),
    );
  });
});

test('preferences: ties are dropped or halved, and the evaluation includes the length baselines', async () => {
  const { seen } = await run(
    {
      method: { id: 'dpo' },
      models: toyModel,
      task: { kind: 'labels', labelSetId: 'mine' },
      optimizer: { learningRate: 3e-3 },
      budget: { steps: 40, batch: 32 },
      evaluation: { problems: 0 },
    },
    { preferences: { mine: await labels(240) } },
  );
  expect(resultOf(seen, 'preference-evaluation')).toMatchObject({
    pairs: expect.toSatisfy(Number.isFinite),
    accuracy: expect.toSatisfy(Number.isFinite),
    baselines: { longest: 0.5, shortest: 0.5 },
  });
  expect(found(seen, 'preference-evaluation/accuracy')).toBeGreaterThan(0.9);
});

test.each([
  ['bradley-terry', 'eval/accuracy'],
  ['dpo', 'eval/rewards/accuracies'],
])('%s reports no accuracy without held-out pairs', async (id, metric) => {
  const task = { kind: 'labels', labelSetId: 'mine' } as const;
  const reportsAccuracy = async (heldout: number) => {
    const { seen } = await run(
      {
        method: { id, params: id === 'bradley-terry' ? { trunk: 'trained' } : {} },
        models: toyModel,
        task: { ...task, heldout },
        budget: { steps: 1, batch: 4 },
        evaluation: { problems: 0 },
      },
      { preferences: { mine: await labels(60) } },
    );
    return seen.some((event) => event.type === 'metrics' && metric in event.values);
  };
  expect(await reportsAccuracy(0.5)).toBe(true);
  expect(await reportsAccuracy(0)).toBe(false);
});

test('evaluation uses the same problems for every seed', async () => {
  const evaluatedPrompts = async (seed: number) => {
    const { seen } = await run({
      method: { id: 'sft' },
      models: toyModel,
      task: { kind: 'world', id: 'toy/copy' },
      budget: { steps: 2, batch: 4 },
      sampling: { maxTokens: 3 },
      evaluation: { every: 1, problems: 10, samples: 2 },
      seed,
    });
    expect(seen.filter((event) => event.type === 'result')).toHaveLength(2);
    return rowsOf(seen, 'evaluation')
      .filter((row) => row.step === 2)
      .map((row) => row.promptId);
  };
  expect(await evaluatedPrompts(1)).toEqual(await evaluatedPrompts(2));
});

test.each<[string, RunSpecInput, Partial<Resources>, string]>([
  [
    'a line that is not JSON',
    { method: { id: 'dpo' }, models: toyModel, task: { kind: 'labels', labelSetId: 'broken' } },
    {},
    'broken.jsonl:2',
  ],
  [
    'an answer that is too long',
    {
      method: { id: 'grpo' },
      models: toyModel,
      task: { kind: 'world', id: 'toy/copy' },
      sampling: { maxTokens: 40 },
    },
    {},
    'sampling.maxTokens',
  ],
  [
    'a missing reward model',
    {
      method: { id: 'grpo' },
      models: toyModel,
      task: { kind: 'world', id: 'toy/copy' },
      sampling: { maxTokens: 4 },
      rewards: [{ id: 'reward-model', params: { checkpointId: 'gone' } }],
    },
    {},
    'rewards',
  ],
])('rejects %s, with its location', async (_, spec, resources, where) => {
  const broken = await writeText(
    'broken.jsonl',
    '{"pairId":"a","promptId":"a","prompt":"aaa?","a":"a","b":"b","verdict":"a","correctA":null,"correctB":null}\nnot ' +
      'json\n',
  );
  await expect(run(spec, { preferences: { broken }, ...resources })).rejects.toMatchObject({
    where: expect.stringContaining(where) as string,
  });
});

test.each<[string, RunSpecInput['rewards'], string]>([
  [
    'a policy named as a reward model',
    [{ id: 'length' }, { id: 'reward-model', params: { checkpointId: 'policy' } }],
    'evaluation.rewards.1.params.checkpointId',
  ],
  [
    'a missing checkpoint',
    [{ id: 'implicit-reward', params: { checkpointId: 'policy', reference: { checkpointId: 'gone' } } }],
    'evaluation.rewards.0.params.reference.checkpointId',
  ],
])(
  'rejects %s among the rewards recorded at evaluation before the first step, with its location',
  async (_, recorded, where) => {
    const task = { kind: 'world', id: 'toy/copy' } as const;
    const common = { models: toyModel, task, budget: { steps: 2, batch: 4 }, sampling: { maxTokens: 4 } };
    const { saved } = await run({ ...common, method: { id: 'sft' }, evaluation: { problems: 0 } });
    const recording = recorder();
    const refused = run(
      { ...common, method: { id: 'grpo' }, evaluation: { problems: 4, samples: 1, rewards: recorded } },
      { checkpoints: { policy: saved.path } },
      recording,
    );
    await expect(refused).rejects.toMatchObject({ where });
    expect(new Set(recording.seen.map(({ type }) => type))).toEqual(new Set(['progress']));
  },
);
