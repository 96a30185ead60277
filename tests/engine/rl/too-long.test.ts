/**
 * Rows longer than the model's context, at every place where a run encodes rows: they are left out and
 * counted, and the run continues while others are left.
 */
import { mkdtemp, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { calls } from '../../../engine/process/calls.ts';
import { splitOf } from '../../../engine/data/split.ts';
import { checkSpec } from '../../../engine/index.ts';
import { stubOf } from '../../../engine/rl/tasks/kinds/index.ts';
import type { Method } from '../../../engine/rl/kernel/method.ts';
import { methods } from '../../../engine/rl/methods/index.ts';
import { needOf } from '../../../engine/rl/tools/preflight.ts';
import { mainOf } from '../../../engine/rl/kernel/recipe.ts';
import { rescore } from '../../../engine/rl/tools/rescore.ts';
import { stepsBefore } from '../../../engine/rl/kernel/schedule.ts';
import { openDevice, type Device } from '../../../engine/runtime/index.ts';
import type { Resources } from '../../../engine/schema/messages.ts';
import type { Demonstration, Preference } from '../../../engine/schema/preference.ts';
import type { RunSpecInput } from '../../../engine/schema/run-spec.ts';
import { openWorldById } from '../../../engine/worlds/index.ts';
import { writeModelFolder } from '../../support/model-folder.ts';
import {
  found,
  isGuided,
  lastCheckpoint,
  noResources,
  runInto,
  toyModel,
  toyModels,
  type Seen,
} from '../../support/toy-run.ts';

let device: Device;
let folder: string;
let count = 0;
beforeAll(async () => {
  device = await openDevice({ id: 'cpu', threads: 1 });
  folder = await mkdtemp(join(tmpdir(), 'whetstone-too-long-'));
});
afterAll(() => rm(folder, { recursive: true, force: true }));

const HELDOUT = 0.4;
const ROWS = 60;
const long = (i: number): boolean => i % 5 === 0;
const heldoutIs = (i: number): boolean => splitOf(`q${i}`, HELDOUT) === 'heldout';
const indices = Array.from({ length: ROWS }, (_, i) => i);
/** Number of rows of a part that are too long. */
const longOnes = (heldout: boolean): number =>
  indices.filter((i) => long(i) && heldoutIs(i) === heldout).length;

const letters = (i: number, length: number): string =>
  Array.from({ length }, (_, at) => 'abc'[(i + at) % 3]).join('');
/** Every fifth answer is longer than the context; `longPrompt`: every fifth prompt is. */
const demonstrations = (longPrompt: boolean): Demonstration[] =>
  indices.flatMap((i) =>
    [true, false].map((correct) => ({
      promptId: `q${i}`,
      prompt: `${letters(i, longPrompt && long(i) ? 30 : 2)}?`,
      answer: letters(i + Number(correct), !longPrompt && long(i) ? 30 : 3),
      reference: letters(i + 1, 3),
      correct,
    })),
  );
const conversations = (): Demonstration[] =>
  indices.map((i) => {
    const [prompt, answer] = [`${letters(i, 2)}?`, letters(i, long(i) ? 900 : 3)];
    return {
      promptId: `q${i}`,
      prompt,
      answer,
      reference: null,
      correct: null,
      messages: [
        { role: 'user', content: prompt },
        { role: 'assistant', content: answer },
      ],
      where: `file:${i}`,
    };
  });
const pairs = (): Preference[] =>
  indices.map((i) => ({
    pairId: `p${i}`,
    promptId: `q${i}`,
    prompt: `${letters(i, 2)}?`,
    a: letters(i, 3),
    b: letters(i, long(i) ? 30 : 2),
    verdict: i % 7 === 6 ? 'tie' : 'a',
    correctA: null,
    correctB: null,
  }));
const written = async (rows: readonly object[]): Promise<string> => {
  const path = join(folder, `rows-${count++}.jsonl`);
  await writeFile(path, rows.map((row) => JSON.stringify(row)).join('\n'));
  return path;
};

const stepsFor = (method: Method): number => {
  const recipe = method.recipe(method.sanity?.params ?? {}, stubOf(method));
  const before = stepsBefore(recipe, mainOf(recipe));
  return Number.isFinite(before) ? before + 2 : 2;
};
const specOf = (method: Method, own: Partial<RunSpecInput> = {}): RunSpecInput => ({
  method: { id: method.id, params: { ...method.sanity?.params } },
  models: toyModels(method),
  task: { kind: 'dataset', datasetId: 'd', heldout: HELDOUT },
  budget: { steps: stepsFor(method), batch: 8 },
  sampling: { maxTokens: 6 },
  evaluation: { problems: 20, samples: 1, ...(isGuided(method) && { rewards: [{ id: 'match/exact' }] }) },
  ...((method.task === 'verifiable' || method.search({})) && {
    rewards: [{ id: isGuided(method) ? 'length' : 'match/exact' }],
  }),
  ...own,
});
const run = async (spec: RunSpecInput, resources: Partial<Resources>): Promise<Seen[]> =>
  (
    await runInto(device, checkSpec(spec), join(folder, `run-${count++}`), {
      resources: { ...noResources, ...resources },
    })
  ).seen;

/** Only worlds label worked steps or say an instruction otherwise, and control worlds have no rows of text. */
const ofFiles = methods.filter(
  ({ id, task }) => id !== 'process-verifier' && task !== 'control' && task !== 'instructions',
);

describe('rows of a file that are too long, in training and held-out data', () => {
  test.each(ofFiles.map((method) => [method.id, method] as const))(
    'are left out by %s, and counted for each part',
    async (_id, method) => {
      const asksPrompts = method.task === 'verifiable' || method.task === 'prompts';
      const path = await written(method.task === 'preferences' ? pairs() : demonstrations(asksPrompts));
      const resources: Partial<Resources> = { datasets: { d: path } };
      const spec = specOf(method);
      const { steps, tooLong } = await needOf(checkSpec(spec), { ...noResources, ...resources });
      expect(steps).toBe(stepsFor(method));
      const seen = await run(spec, resources);
      expect(tooLong).toBe(found(seen, 'data/too_long'));
      const rows = method.task === 'answers' ? 2 : 1;
      expect(found(seen, 'data/too_long/training')).toBe(rows * longOnes(false));
      // judges are evaluated on held-out answers
      if ((method.task !== 'answers' && !asksPrompts) || method.produces === 'reward')
        expect(found(seen, 'data/too_long/heldout')).toBe(rows * longOnes(true));
      if (asksPrompts && method.produces === 'policy')
        expect(found(seen, 'data/too_long/problems')).toBeGreaterThan(0);
    },
  );

  test('are left out of conversations', async () => {
    const model = writeModelFolder(join(folder, 'chat'), {
      settings: { vocab_size: 430, max_position_embeddings: 256 },
      tokenizer: 'qwen2',
    });
    const models = { policy: { kind: 'model', modelId: 'm' } } as const;
    const spec = specOf(methods.find(({ id }) => id === 'sft') as Method, { models });
    const seen = await run(spec, {
      checkpoints: { m: model },
      datasets: { d: await written(conversations()) },
    });
    expect(found(seen, 'data/too_long/training') + found(seen, 'data/too_long/heldout')).toBe(
      indices.filter(long).length,
    );
    expect(found(seen, 'data/too_long/heldout')).toBeGreaterThan(0);
  });

  test('are left out of labels for a judge of single answers', async () => {
    const seen = await run(
      specOf(methods.find(({ id }) => id === 'outcome-verifier') as Method, {
        task: { kind: 'labels', labelSetId: 'd', heldout: HELDOUT },
      }),
      { preferences: { d: await written(pairs()) } },
    );
    expect(found(seen, 'data/too_long/heldout')).toBeGreaterThan(0);
    expect(found(seen, 'eval/answers/auc')).toBeGreaterThanOrEqual(0);
  });

  test('are rejected if none is left, with the smallest sufficient context', async () => {
    const path = await written(
      pairs().map((pair) => ({ ...pair, a: letters(1, 25 + pair.prompt.length), b: letters(2, 40) })),
    );
    const refused = needOf(checkSpec(specOf(methods.find(({ id }) => id === 'dpo') as Method)), {
      ...noResources,
      datasets: { d: path },
    });
    await expect(refused).rejects.toMatchObject({
      kind: 'invalid-input',
      message: expect.stringMatching(/^None of the \d+ decided pairs .* context of 24 tokens\.$/) as string,
      where: 'models.policy.architecture.context',
      hint: expect.stringContaining('45 tokens') as string,
    });
  });
});

describe('rows of a world that are too long', () => {
  const architecture = { width: 16, layers: 1, heads: 2, context: 40 };
  const spec = (id: string): RunSpecInput => ({
    method: { id },
    models: { policy: { kind: 'new', architecture, tokenizer: { kind: 'characters' } } },
    task: { kind: 'world', id: 'arithmetic' },
    budget: { steps: 3, batch: 16 },
    sampling: { maxTokens: 8 },
    evaluation: { problems: 40, samples: 1 },
  });

  test.each(['sft', 'outcome-verifier', 'process-verifier', 'generative-verdict'])(
    'are replaced by others for %s, and counted',
    async (id) => {
      const seen = await run(spec(id), {});
      expect(found(seen, 'data/too_long/training')).toBeGreaterThan(0);
      expect(found(seen, 'data/too_long/heldout')).toBeGreaterThan(0);
      expect(await run(spec(id), {}).then((again) => found(again, 'loss'))).toBe(found(seen, 'loss'));
    },
  );

  test.each([
    ['a method that is shown worked answers', { method: { id: 'prefix-rft' } }],
    ['a controller that shows them', { method: { id: 'grpo' }, controllers: [{ id: 'ghpo' }] }],
  ] satisfies [string, Partial<RunSpecInput>][])('are replaced by others for %s', async (_name, own) => {
    const input: RunSpecInput = {
      ...spec('grpo'),
      rewards: [{ id: 'verifier' }],
      sampling: { maxTokens: 32 },
      ...own,
    };
    expect(found(await run(input, {}), 'data/too_long/problems')).toBeGreaterThan(0);
  });

  test('are rejected if none is short enough', async () => {
    const short = {
      ...spec('sft'),
      models: { policy: { ...toyModel.policy, architecture: { ...architecture, context: 8 } } },
    } as RunSpecInput;
    await expect(
      needOf(checkSpec({ ...short, evaluation: { problems: 0 } }), noResources),
    ).rejects.toMatchObject({
      kind: 'invalid-input',
      message: expect.stringMatching(/None of the 64 demonstrations/) as string,
    });
    await expect(needOf(checkSpec(short), noResources)).rejects.toMatchObject({
      message: expect.stringMatching(/None of the 40 held-out problems/) as string,
      where: 'sampling.maxTokens',
    });
  });
});

describe('answers longer than the context of the model that scores them', () => {
  const world = { kind: 'world', id: 'toy/copy' } as const;
  const small = {
    policy: {
      kind: 'new',
      architecture: { width: 16, layers: 1, heads: 2, context: 8 },
      tokenizer: { kind: 'bytes' },
    },
  } as const;
  const trained = async (own: Partial<RunSpecInput>): Promise<string> =>
    lastCheckpoint(
      await run(
        {
          method: { id: 'sft' },
          models: small,
          task: world,
          budget: { steps: 1, batch: 4 },
          sampling: { maxTokens: 3 },
          evaluation: { problems: 4, samples: 1 },
          ...own,
        },
        {},
      ),
    );
  const judge = () => trained({ method: { id: 'outcome-verifier' } });
  const step = () =>
    trained({
      method: { id: 'process-verifier' },
      task: { kind: 'world', id: 'toy/steps', params: { length: 2 } },
      models: { policy: { ...small.policy, architecture: { ...small.policy.architecture, context: 12 } } },
    });
  const verdict = () =>
    trained({
      method: { id: 'generative-verdict', params: { right: 'y', wrong: 'n' } },
      models: { policy: { ...small.policy, architecture: { ...small.policy.architecture, context: 12 } } },
    });

  test.each<
    [string, () => Promise<{ rewards: RunSpecInput['rewards']; checkpoints: Resources['checkpoints'] }>]
  >([
    [
      'a judge',
      async () => ({
        rewards: [{ id: 'reward-model', params: { checkpointId: 'one' } }],
        checkpoints: { one: await judge() },
      }),
    ],
    [
      'a judge of steps',
      async () => ({
        rewards: [{ id: 'reward-model', params: { checkpointId: 'one' } }],
        checkpoints: { one: await step() },
      }),
    ],
    [
      'a verdict in words',
      async () => ({
        rewards: [{ id: 'reward-model', params: { checkpointId: 'one' } }],
        checkpoints: { one: await verdict() },
      }),
    ],
    [
      'an implicit reward',
      async () => ({
        rewards: [
          { id: 'implicit-reward', params: { checkpointId: 'one', reference: { checkpointId: 'two' } } },
        ],
        checkpoints: { one: await trained({}), two: await trained({ seed: 2 }) },
      }),
    ],
    [
      'a process reward',
      async () => ({
        rewards: [
          {
            id: 'implicit-process-reward',
            params: { checkpointId: 'one', reference: { checkpointId: 'two' } },
          },
        ],
        checkpoints: { one: await trained({}), two: await trained({ seed: 2 }) },
      }),
    ],
    [
      'a judge and the initial model',
      async () => ({
        rewards: [{ id: 'par', params: { reward: { id: 'reward-model', params: { checkpointId: 'one' } } } }],
        checkpoints: { one: await judge() },
      }),
    ],
  ])(
    'are scored by %s up to its context, and reported as truncated, both in a run and when rescored',
    async (_name, made) => {
      const { rewards, checkpoints } = await made();
      const spec: RunSpecInput = {
        method: { id: 'grpo' },
        models: toyModel,
        task: world,
        rewards,
        budget: { steps: 2, batch: 4 },
        sampling: { maxTokens: 16 },
        evaluation: { problems: 4, samples: 2 },
      };
      const seen = await run(spec, { checkpoints });
      expect(
        seen.some(
          (event) =>
            event.type === 'result' &&
            event.kind === 'reward-fault' &&
            (event.value as { kind: string }).kind === 'cut',
        ),
      ).toBe(true);
      const { promptId, prompt } = openWorldById('toy/copy').problem('train', 0, 0);
      const batch = [
        {
          promptId,
          prompt,
          completion: 'abcabcabcabcabcabcabc',
          tokens: 22,
          stopReason: 'end' as const,
          group: 0,
        },
      ];
      const again = await rescore(device, {
        spec: checkSpec(spec),
        resources: { ...noResources, checkpoints },
        batches: [batch],
        progress: [0],
      });
      expect(again.faults.map(({ kind }) => kind)).toContain('cut');
      expect(Number.isFinite(again.total[0])).toBe(true);
    },
  );

  test('have no score when a user asks, and are rejected if there is no other answer', async () => {
    const checkpoint = await judge();
    const item = (completion: string) => ({ prompt: 'aa?', completion });
    const whole = [item('ab'), item('abcabcabcabc'), item('')];
    const scores = await calls.score({ checkpoint, items: whole });
    expect(scores).toEqual([expect.toSatisfy(Number.isFinite), null, expect.toSatisfy(Number.isFinite)]);
    expect(await calls.score({ checkpoint, items: [whole[0], whole[2]] })).toEqual([scores[0], scores[2]]);
    await expect(calls.score({ checkpoint, items: [whole[1]] })).rejects.toMatchObject({
      kind: 'invalid-input',
      message: 'With its prompt the answer has 17 tokens; the model reads 8.',
      hint: expect.any(String) as string,
    });
  });
});
