import { mkdtemp, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { checkSpec } from '../../../engine/index.ts';
import { splitOf } from '../../../engine/data/split.ts';
import { readCheckpoint } from '../../../engine/models/checkpoint.ts';
import { runToEnd } from '../../../engine/rl/run/train.ts';
import { openDevice, type Device } from '../../../engine/runtime/index.ts';
import type { CheckpointFacts, Resources } from '../../../engine/schema/messages.ts';
import type { Demonstration, Preference } from '../../../engine/schema/preference.ts';
import type { RunSpecInput } from '../../../engine/schema/run-spec.ts';
import { openWorldById } from '../../../engine/worlds/index.ts';
import { PolicyEvaluation } from '../../../preload/contract/compare.ts';
import { RewardInspection } from '../../../preload/contract/rewards.ts';
import { found, noResources, recorder, toyModel, type Seen } from '../../support/toy-run.ts';

let device: Device;
let folder: string;
let count = 0;
beforeAll(async () => {
  device = await openDevice({ id: 'cpu', threads: 2 });
  folder = await mkdtemp(join(tmpdir(), 'whetstone-loop-'));
});
afterAll(() => rm(folder, { recursive: true, force: true }));

const run = async (
  spec: RunSpecInput,
  resources: Partial<Resources> = {},
): Promise<{ seen: Seen[]; saved: CheckpointFacts }> => {
  const { seen, events } = recorder();
  await runToEnd(
    {
      runId: `run-${count}`,
      attempt: 1,
      spec: checkSpec(spec),
      resources: { ...noResources, ...resources },
      outDir: join(folder, `${count++}`),
    },
    events,
    new AbortController().signal,
    device,
  );
  const saved = seen.findLast((event) => event.type === 'checkpoint');
  if (saved?.type !== 'checkpoint') throw new Error('no checkpoint was told');
  return { seen, saved: saved.checkpoint };
};
const resultOf = (seen: readonly Seen[], kind: string): unknown => {
  const result = seen.findLast((event) => event.type === 'result' && event.kind === kind);
  return result?.type === 'result' ? result.value : undefined;
};
const rowsOf = (seen: readonly Seen[], purpose: string) =>
  seen
    .flatMap((event) => (event.type === 'trajectories' ? event.rows : []))
    .filter((row) => row.purpose === purpose);

const world = openWorldById('toy/pairs');
/** Labeled pairs of the hidden rule, as JSON lines; every tenth is a tie, and one says nothing. */
const labels = async (pairs: number): Promise<string> => {
  const path = join(folder, `labels-${pairs}.jsonl`);
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
  await writeFile(path, rows.map((row) => JSON.stringify(row)).join('\n'));
  return path;
};

describe('a reward model, then a policy that climbs it', () => {
  test('the inspection has the contract’s shape, and the policy’s evaluation tells proxy from gold', async () => {
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
    // the answers that it was trained on spell only these letters: so does the policy
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
    expect(before.kl).toBeNull(); // it began from random weights
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

  test('few labels: a head on frozen features, solved at once, cross-validated by prompt', async () => {
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

test('preferences: ties are dropped or halved, and the evaluation stands beside the length baselines', async () => {
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
    pairs: expect.any(Number),
    accuracy: expect.any(Number),
    baselines: { longest: 0.5, shortest: 0.5 },
  });
  expect(found(seen, 'preference-evaluation/accuracy')).toBeGreaterThan(0.9);
});

test.each([
  ['dpo', 'tie', "All 20 training pairs of label set 'none' are ties"],
  ['bradley-terry', 'tie', "All 20 training pairs of label set 'none' are ties"],
  ['dpo', 'skip', "no decided pairs to learn from in the training part of label set 'none'"],
  ['bradley-terry', 'both-bad', "no decided pairs to learn from in the training part of label set 'none'"],
] as const)('%s refuses labels that all say %j before it trains', async (id, verdict, message) => {
  const path = join(folder, `only-${id}-${verdict}.jsonl`);
  const row = (i: number): Preference => ({
    pairId: `p${i}`,
    promptId: `q${i}`,
    prompt: 'ab?',
    a: 'a',
    b: 'b',
    verdict,
    correctA: null,
    correctB: null,
  });
  await writeFile(path, Array.from({ length: 20 }, (_, i) => JSON.stringify(row(i))).join('\n'));
  const refused = run(
    {
      method: { id },
      models: toyModel,
      task: { kind: 'labels', labelSetId: 'none', heldout: 0 },
      budget: { steps: 2, batch: 4 },
    },
    { preferences: { none: path } },
  );
  await expect(refused).rejects.toMatchObject({
    kind: 'invalid-input',
    message: expect.stringContaining(message) as string,
    hint: expect.any(String) as string,
  });
});

test.each([
  ['bradley-terry', 'eval/accuracy'],
  ['dpo', 'eval/rewards/accuracies'],
])('%s without held-out pairs tells no accuracy', async (id, metric) => {
  const task = { kind: 'labels', labelSetId: 'mine' } as const;
  const told = async (heldout: number) => {
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
  expect(await told(0.5)).toBe(true);
  expect(await told(0)).toBe(false);
});

test('demonstrations of a file: answers marked wrong are left out, held-out prompts are told apart by prompt', async () => {
  const copy = openWorldById('toy/copy', { letters: 8 });
  const rows = Array.from({ length: 200 }, (_, i): Demonstration => {
    const { promptId, prompt, answer, reference, correct } = copy.demonstration(i, 5);
    return { promptId, prompt, answer, reference, correct };
  });
  const path = join(folder, 'rows.jsonl');
  await writeFile(path, rows.map((row) => JSON.stringify(row)).join('\n'));
  const { seen } = await run(
    {
      method: { id: 'sft' },
      models: toyModel,
      task: { kind: 'dataset', datasetId: 'd', heldout: 0.2 },
      optimizer: { learningRate: 1e-2 },
      budget: { steps: 150, batch: 16 },
    },
    { datasets: { d: path } },
  );
  expect(found(seen, 'eval/loss')).toBeLessThan(0.3);
});

describe('rows that are longer than the model reads', () => {
  const lengths = (long: number) => Array.from({ length: 40 }, (_, i) => (i < long ? 30 : 3));
  const written = async (name: string, rows: readonly (Demonstration | Preference)[]): Promise<string> => {
    const path = join(folder, name);
    await writeFile(path, rows.map((row) => JSON.stringify(row)).join('\n'));
    return path;
  };
  const pairs = (long: number) =>
    lengths(long).map((n, i): Preference => ({
      pairId: `p${i}`,
      promptId: `q${i}`,
      prompt: 'ab?',
      a: 'ba'.repeat(n).slice(0, n),
      b: 'b',
      verdict: 'a',
      correctA: null,
      correctB: null,
    }));
  const prompts = (long: number) =>
    lengths(long).map((n, i): Demonstration => ({
      promptId: `q${i}`,
      prompt: 'ab'.repeat(n).slice(0, n),
      answer: 'a',
      reference: null,
      correct: null,
    }));
  const of = (id: string, extra: Partial<RunSpecInput> = {}): RunSpecInput => ({
    method: { id, params: id === 'bradley-terry' ? { trunk: 'trained' } : {} },
    models: toyModel,
    sampling: { maxTokens: 8 },
    budget: { steps: 1, batch: 4 },
    evaluation: { problems: 0 },
    task: { kind: 'dataset', datasetId: 'd', heldout: 0.25 },
    ...extra,
  });

  test.each<[string, (long: number) => readonly (Demonstration | Preference)[], 'datasets' | 'preferences']>([
    ['sft', prompts, 'datasets'],
    ['dpo', pairs, 'preferences'],
    ['bradley-terry', pairs, 'preferences'],
    ['sample', prompts, 'datasets'],
  ])('are left out by %s, counted, and refused where nothing is left', async (id, rows, kind) => {
    const { seen } = await run(of(id, { task: { kind: 'dataset', datasetId: 'd', heldout: 0 } }), {
      [kind]: { d: await written(`${id}-some.jsonl`, rows(7)) },
    });
    expect(found(seen, 'data/too_long')).toBe(7);
    const { seen: short } = await run(of(id), { [kind]: { d: await written(`${id}-none.jsonl`, rows(0)) } });
    expect(short.some((event) => event.type === 'metrics' && 'data/too_long' in event.values)).toBe(false);
    const refused = run(of(id), { [kind]: { d: await written(`${id}-all.jsonl`, rows(40)) } });
    await expect(refused).rejects.toMatchObject({
      kind: 'invalid-input',
      message: expect.stringMatching(
        /None of the \d+ .* of dataset 'd' fits the model, which reads 24 tokens/,
      ) as string,
    });
  });

  test('count where they would have been held out, too', async () => {
    const { seen } = await run(of('sft'), { datasets: { d: await written('heldout.jsonl', prompts(20)) } });
    expect(found(seen, 'data/too_long')).toBe(20);
  });
});

test.each([
  ['sft', 'datasets'],
  ['dpo', 'preferences'],
] as const)('a tokenizer that %s trains knows nothing of held-out texts', async (id, kind) => {
  const models: RunSpecInput['models'] = {
    policy: {
      kind: 'new',
      architecture: { width: 16, layers: 1, heads: 2, context: 64 },
      tokenizer: { kind: 'bpe', vocabulary: 300 },
    },
  };
  const learned = async (heldoutText: string) => {
    const answerOf = (promptId: string) => (splitOf(promptId, 0.3) === 'heldout' ? heldoutText : 'abcabcabc');
    const rows = Array.from({ length: 60 }, (_, i) => {
      const promptId = `q${i}`;
      return id === 'sft'
        ? ({
            promptId,
            prompt: '?',
            answer: answerOf(promptId),
            reference: null,
            correct: null,
          } satisfies Demonstration)
        : ({
            pairId: promptId,
            promptId,
            prompt: '?',
            a: answerOf(promptId),
            b: '',
            verdict: 'a',
            correctA: null,
            correctB: null,
          } satisfies Preference);
    });
    const path = join(folder, `${id}-${heldoutText}.jsonl`);
    await writeFile(path, rows.map((row) => JSON.stringify(row)).join('\n'));
    const { saved } = await run(
      {
        method: { id },
        models,
        task: { kind: 'dataset', datasetId: 'd', heldout: 0.3 },
        budget: { steps: 1, batch: 4 },
        evaluation: { problems: 0 },
      },
      { [kind]: { d: path } },
    );
    return (await readCheckpoint(saved.path)).tokenizer;
  };
  const tokenizer = await learned('xyzxyzxyz');
  expect(tokenizer.encode('abcabcabc').length).toBeLessThan(9);
  expect(tokenizer.encode('xyzxyzxyz')).toHaveLength(9);
  expect(tokenizer.toJson()).toEqual((await learned('uvwuvwuvw')).toJson());
});

test('evaluation asks the same problems whatever the seed', async () => {
  const asked = async (seed: number) => {
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
  expect(await asked(1)).toEqual(await asked(2));
});

test.each<[string, RunSpecInput, Partial<Resources>, string]>([
  [
    'a line that is no JSON',
    { method: { id: 'dpo' }, models: toyModel, task: { kind: 'labels', labelSetId: 'broken' } },
    {},
    'broken.jsonl:2',
  ],
  [
    'an answer that does not fit',
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
    'a reward model that is not there',
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
])('%s is refused, with its place', async (_, spec, resources, where) => {
  await writeFile(
    join(folder, 'broken.jsonl'),
    '{"pairId":"a","promptId":"a","prompt":"aaa?","a":"a","b":"b","verdict":"a","correctA":null,"correctB":null}\nnot json\n',
  );
  await expect(
    run(spec, { preferences: { broken: join(folder, 'broken.jsonl') }, ...resources }),
  ).rejects.toMatchObject({ where: expect.stringContaining(where) as string });
});

test.each<[string, RunSpecInput['rewards'], string]>([
  [
    'a policy named as a reward model',
    [{ id: 'length' }, { id: 'reward-model', params: { checkpointId: 'policy' } }],
    'evaluation.rewards.1.params.checkpointId',
  ],
  [
    'a checkpoint that is not there',
    [{ id: 'implicit-reward', params: { checkpointId: 'policy', reference: { checkpointId: 'gone' } } }],
    'evaluation.rewards.0.params.reference.checkpointId',
  ],
])(
  '%s among what is recorded at evaluation is refused before the first step, with its place',
  async (_, beside, where) => {
    const task = { kind: 'world', id: 'toy/copy' } as const;
    const common = { models: toyModel, task, budget: { steps: 2, batch: 4 }, sampling: { maxTokens: 4 } };
    const { saved } = await run({ ...common, method: { id: 'sft' }, evaluation: { problems: 0 } });
    const { seen, events } = recorder();
    const spec = checkSpec({
      ...common,
      method: { id: 'grpo' },
      evaluation: { problems: 4, samples: 1, rewards: beside },
    });
    const refused = runToEnd(
      {
        runId: 'beside',
        attempt: 1,
        spec,
        resources: { ...noResources, checkpoints: { policy: saved.path } },
        outDir: join(folder, 'beside'),
      },
      events,
      new AbortController().signal,
      device,
    );
    await expect(refused).rejects.toMatchObject({ where });
    expect(new Set(seen.map(({ type }) => type))).toEqual(new Set(['progress']));
  },
);
