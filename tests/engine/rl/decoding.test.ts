import { mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { checkSpec } from '../../../engine/index.ts';
import { openDevice, type Device } from '../../../engine/runtime/index.ts';
import type { RunSpecInput } from '../../../engine/schema/run-spec.ts';
import { sidesOf } from '../../../engine/rl/run/open-steering.ts';
import { caught, rejected } from '../../support/errors.ts';
import { found, lastCheckpoint, noResources, runInto, toyModel, type Seen } from '../../support/toy-run.ts';

let device: Device;
let folder: string;
beforeAll(async () => {
  device = await openDevice({ id: 'cpu', threads: 1 });
  folder = await mkdtemp(join(tmpdir(), 'whetstone-decoding-'));
});
afterAll(async () => {
  await device.close();
  await rm(folder, { recursive: true, force: true });
});

const world = { kind: 'world', id: 'toy/pairs' } as const;
const specOf = (method: RunSpecInput['method'], more: Partial<RunSpecInput> = {}) =>
  checkSpec({ method, models: toyModel, task: world, sampling: { maxTokens: 4 }, seed: 3, ...more });
const from = (checkpointId: string) => ({ policy: { kind: 'checkpoint' as const, checkpointId } });
const ran = async (
  name: string,
  spec: ReturnType<typeof checkSpec>,
  checkpoints: Record<string, string> = {},
) => (await runInto(device, spec, join(folder, name), { resources: { ...noResources, checkpoints } })).seen;
/** All metrics but times. */
const numbers = (seen: readonly Seen[]) =>
  seen.flatMap((event) => (event.type === 'metrics' ? [event.values] : []));
const answersOf = (seen: readonly Seen[]) =>
  seen.flatMap((event) => (event.type === 'trajectories' ? event.rows : []));

describe('a run with filters', () => {
  const spec = (sampling: object) =>
    specOf(
      { id: 'grpo', params: { groupSize: 4 } },
      {
        sampling: { maxTokens: 4, ...sampling },
        budget: { steps: 4, batch: 4 },
        evaluation: { problems: 4, samples: 2 },
        checkpoints: { every: 2 },
      },
    );
  test('records the dropped probability and weighs the credit by what was kept', async () => {
    const seen = await ran('filters', spec({ topP: 0.8 }));
    const steps = numbers(seen).filter((values) => 'sampling/truncated_mass' in values);
    expect(steps).toHaveLength(4);
    for (const values of steps) {
      expect(values['sampling/truncated_mass']).toBeGreaterThan(0.02);
      expect(values['sampling/truncated_mass']).toBeLessThanOrEqual(0.2);
      expect(values['sampling/importance_sampling_ratio/mean']).toBeCloseTo(
        1 - values['sampling/truncated_mass'],
        5,
      );
    }
  });
  test('resumes to the same bits', async () => {
    const whole = answersOf(await ran('whole', spec({ topK: 5, minP: 0.05 })));
    const first = await runInto(device, spec({ topK: 5, minP: 0.05 }), join(folder, 'cut'), { stopAfter: 2 });
    const rest = await runInto(device, spec({ topK: 5, minP: 0.05 }), join(folder, 'cut'), {
      attempt: 2,
      resumeFrom: lastCheckpoint(first.seen),
    });
    const facts = (rows: typeof whole) =>
      rows.map(({ step, promptId, sample, tokens, behaviorLogp }) => [
        step,
        promptId,
        sample,
        tokens,
        behaviorLogp,
      ]);
    const later = whole.filter(({ step }) => step > 2);
    expect(later.length).toBeGreaterThan(16);
    expect(facts(answersOf(rest.seen))).toEqual(facts(later));
  });
  test('that drop nothing has the metrics of a run without', async () => {
    const [plain, off] = [await ran('plain', spec({})), await ran('off', spec({ topP: 1, minP: 0 }))];
    expect(answersOf(off)).toEqual(answersOf(plain));
    expect(numbers(off).some((values) => 'sampling/truncated_mass' in values)).toBe(false);
  });
});

describe('a second model', () => {
  const sampled = (guidance: object | undefined, policy: string) =>
    specOf(
      { id: 'sample', params: { groupSize: 4 } },
      {
        models: from(policy),
        rewards: [{ id: 'verifier' }],
        budget: { steps: 2, batch: 24 },
        sampling: { maxTokens: 4, ...(guidance && { guidance: guidance as never }) },
      },
    );
  const meanReward = (seen: readonly Seen[]) => {
    const rewards = answersOf(seen).map(({ scores }) => scores.verifier);
    return rewards.reduce((a, b) => a + b, 0) / rewards.length;
  };

  test('trained on pairs without a reference steers a frozen one (GenARM), and a policy’s training is dialled (RLG)', async () => {
    const base = lastCheckpoint(
      await ran(
        'base',
        specOf({ id: 'sft' }, { budget: { steps: 60, batch: 16 }, optimizer: { learningRate: 0.003 } }),
      ),
    );
    const checkpoints: Record<string, string> = { base };
    const tuned = async (name: string, method: RunSpecInput['method'], steps = 40) => {
      const spec = specOf(method, {
        models: from('base'),
        budget: { steps, batch: 32 },
        optimizer: { learningRate: 0.001 },
        evaluation: { problems: 0 },
      });
      checkpoints[name] = lastCheckpoint(await ran(name, spec, checkpoints));
    };
    await tuned('reward', { id: 'cpo', params: { beta: 1, sftWeight: 0 } });
    await tuned('tuned', { id: 'grpo', params: { groupSize: 8, klWeight: 0.1 } }, 16);
    const by = async (policy: string, checkpointId: string, how: string, weight: number) =>
      meanReward(
        await ran(
          `${policy} ${how} ${weight}`,
          sampled({ kind: 'checkpoint', checkpointId, how, weight }, policy),
          checkpoints,
        ),
      );
    const alone = meanReward(await ran('alone', sampled(undefined, 'base'), checkpoints));
    const arm = [
      await by('base', 'reward', 'add', 0),
      await by('base', 'reward', 'add', 1),
      await by('base', 'reward', 'add', 3),
    ];
    expect(arm[0]).toBe(alone);
    expect(arm[1]).toBeGreaterThan(arm[0] + 0.05);
    expect(arm[2]).toBeGreaterThan(arm[1]);
    const dial = [
      await by('tuned', 'base', 'mix', 0),
      await by('tuned', 'base', 'mix', 0.5),
      await by('tuned', 'base', 'mix', 1),
      await by('tuned', 'base', 'mix', 2),
    ];
    expect(dial[0]).toBeCloseTo(alone, 1);
    for (let at = 1; at < dial.length; at++) expect(dial[at]).toBeGreaterThan(dial[at - 1]);
  });

  test('with a shorter context is refused: answers would end early', async () => {
    const architecture = { width: 32, layers: 1, heads: 2, context: 16 };
    const models = { policy: { ...toyModel.policy, architecture } } as RunSpecInput['models'];
    const short = lastCheckpoint(
      await ran(
        'short',
        specOf({ id: 'sft' }, { models, budget: { steps: 1, batch: 2 }, evaluation: { problems: 0 } }),
      ),
    );
    const guidance = { kind: 'checkpoint', checkpointId: 'short', how: 'mix', weight: 0.5 } as const;
    const guided = specOf(
      { id: 'sample' },
      { rewards: [{ id: 'verifier' }], budget: { steps: 1, batch: 2 }, sampling: { maxTokens: 4, guidance } },
    );
    expect(await rejected(ran('cut', guided, { short }))).toMatchObject({
      kind: 'invalid-input',
      where: 'sampling.guidance.checkpointId',
      message: expect.stringMatching(/reads 16 tokens/),
    });
  });

  test('guides evaluation and training rows, which are corrected, and may be the run’s own start', async () => {
    const seen = await ran(
      'guided grpo',
      specOf(
        { id: 'grpo', params: { groupSize: 4, klWeight: 0 } },
        {
          sampling: { maxTokens: 4, guidance: { kind: 'initial', how: 'mix', weight: 1.5 } },
          budget: { steps: 3, batch: 4 },
          optimizer: { learningRate: 0.01 },
          evaluation: { problems: 4, samples: 2 },
        },
      ),
    );
    const ratios = numbers(seen).flatMap((values) => values['sampling/importance_sampling_ratio/mean'] ?? []);
    expect(ratios).toHaveLength(3);
    // before the first update both models are one
    expect(ratios[0]).toBeCloseTo(1, 4);
    expect(Math.abs(ratios[2] - 1)).toBeGreaterThan(1e-4);
    expect(found(seen, 'eval/pass_at_1')).toBeGreaterThanOrEqual(0);
  });
});

describe('a direction in hidden states', () => {
  const steered = (strength: number, method: RunSpecInput['method'] = { id: 'sample' }) =>
    specOf(method, {
      models: from('base'),
      rewards: [{ id: 'verifier' }],
      budget: { steps: 2, batch: 24 },
      evaluation: { problems: 0 },
      sampling: {
        maxTokens: 4,
        steering: { kind: 'answers', contrast: 'high', layer: 0, strength, problems: 40, samples: 4 },
      },
    });
  const meanReward = (seen: readonly Seen[]) => {
    const rewards = answersOf(seen).map(({ scores }) => scores.verifier);
    return rewards.reduce((a, b) => a + b, 0) / rewards.length;
  };

  test('between its own better and worse answers moves the reward both ways, and training is corrected', async () => {
    const training = { budget: { steps: 60, batch: 16 }, optimizer: { learningRate: 0.003 } };
    const checkpoints = { base: lastCheckpoint(await ran('start', specOf({ id: 'sft' }, training))) };
    const rewards: number[] = [];
    for (const strength of [-30, 0, 30])
      rewards.push(meanReward(await ran(`steered ${strength}`, steered(strength), checkpoints)));
    expect(rewards[0]).toBeLessThan(rewards[1] - 0.05);
    expect(rewards[2]).toBeGreaterThan(rewards[1] + 0.1);
    const whole = answersOf(await ran('steered whole', steered(30), checkpoints));
    const resources = { ...noResources, checkpoints };
    const cut = join(folder, 'steered cut');
    const first = await runInto(device, steered(30), cut, { resources, stopAfter: 1 });
    const rest = await runInto(device, steered(30), cut, {
      resources,
      attempt: 2,
      resumeFrom: lastCheckpoint(first.seen),
    });
    const logps = (rows: typeof whole) => rows.map(({ behaviorLogp }) => behaviorLogp);
    expect(logps(answersOf(rest.seen))).toEqual(logps(whole.filter(({ step }) => step > 1)));
    const grpo = steered(30, { id: 'grpo', params: { groupSize: 4, klWeight: 0 } });
    const ratios = numbers(await ran('steered grpo', grpo, checkpoints)).flatMap(
      (values) => values['sampling/importance_sampling_ratio/mean'] ?? [],
    );
    expect(ratios).toHaveLength(2);
    // answers of the steered policy are not draws of the policy
    expect(Math.abs(ratios[0] - 1)).toBeGreaterThan(1e-3);
  });

  test('leads from the longest right answer of a problem to its shortest, or from worse answers to better', () => {
    const answers = [
      [0, 1, 5],
      [0, 1, 3],
      [0, 0, 2],
      [0, 1, 4],
      [1, 1, 6],
      [1, 0.5, 1],
      [2, 1, 4],
      [2, 1, 4],
    ].map(([problem, score, length]) => ({ problem, score, length }));
    expect(sidesOf(answers, 'short')).toEqual({ toward: [1], away: [0] });
    expect(sidesOf(answers, 'high')).toEqual({ toward: [0, 1, 3, 4], away: [2, 5] });
  });

  test('must be found in the run', async () => {
    const steering = { kind: 'answers' as const, scorer: 'no such reward', problems: 2, samples: 2 };
    const spec = specOf(
      { id: 'sample' },
      { rewards: [{ id: 'verifier' }], sampling: { maxTokens: 4, steering } },
    );
    const where = async (of: typeof spec) => (await rejected(ran('unfit', of))).where;
    expect(await where(spec)).toBe('sampling.steering.scorer');
    const layer = { ...steering, scorer: 'verifier', contrast: 'high' as const, layer: 9, samples: 8 };
    expect(
      await where({ ...spec, sampling: { ...spec.sampling, steering: { strength: 1, ...layer } } }),
    ).toBe('sampling.steering.layer');
    const [text, foreign] = [[{ prompt: 'a', answer: 'a' }], [{ prompt: 'a', answer: '\u{1f642}' }]];
    const texts = { kind: 'texts' as const, layer: 0, strength: 1, toward: text, away: foreign };
    expect(await where({ ...spec, sampling: { ...spec.sampling, steering: texts } })).toBe(
      'sampling.steering.away.0.answer',
    );
    const other = { teacher: { kind: 'checkpoint' as const, checkpointId: 'c' } };
    expect(
      caught(() =>
        checkSpec({
          method: { id: 'kdrl' },
          models: { ...toyModel, ...other },
          task: world,
          sampling: { steering },
        }),
      ).where,
    ).toBe('sampling.steering');
  });
});

test('a model of dead ends caps the tokens of another that lead to bad ends (rectification)', async () => {
  const task = { kind: 'world' as const, id: 'toy/pairs', params: { length: 2 } };
  const training = (steps: number) => ({
    task,
    budget: { steps, batch: 32 },
    optimizer: { learningRate: 5e-3 },
    evaluation: { problems: 0 },
  });
  const checkpoints: Record<string, string> = {};
  checkpoints.base = lastCheckpoint(await ran('to rectify', specOf({ id: 'sft' }, training(40))));
  checkpoints.ends = lastCheckpoint(await ran('dead ends', specOf({ id: 'dead-end' }, training(80))));
  const badShare = async (weight: number) => {
    const guidance = { kind: 'checkpoint' as const, checkpointId: 'ends', how: 'cap' as const, weight };
    const spec = specOf(
      { id: 'sample', params: { groupSize: 4 } },
      {
        task,
        models: from('base'),
        rewards: [{ id: 'verifier', params: { value: 'correct' } }],
        budget: { steps: 1, batch: 40 },
        sampling: { maxTokens: 3, guidance },
      },
    );
    const rows = answersOf(await ran(`capped ${weight}`, spec, checkpoints));
    return rows.filter(({ scores }) => scores.verifier < 1).length / rows.length;
  };
  // random strings of two of three letters: one in nine is right
  expect(await badShare(0)).toBeGreaterThan(0.7);
  expect(await badShare(1)).toBeLessThan(0.4);
});

test('every answer of a run with a grammar fits it', async () => {
  const seen = await ran(
    'grammar',
    specOf(
      { id: 'sample', params: { groupSize: 8 } },
      {
        task: { kind: 'world', id: 'toy/copy' },
        rewards: [
          { id: 'match/json-schema', params: { schema: { type: 'array', items: { type: 'integer' } } } },
        ],
        models: {
          policy: {
            kind: 'new',
            architecture: { family: 'gpt2', width: 16, layers: 1, heads: 2, context: 48 },
            tokenizer: { kind: 'bytes' },
          },
        },
        budget: { steps: 2, batch: 8 },
        sampling: {
          maxTokens: 16,
          topP: 0.9,
          grammar: { kind: 'json-schema', schema: { type: 'array', items: { type: 'integer' } } },
        },
      },
    ),
  );
  const answers = answersOf(seen);
  expect(answers).toHaveLength(128);
  expect(
    answers.every(({ scores, stopReason }) => scores['match/json-schema'] === 1 && stopReason === 'end'),
  ).toBe(true);
});

describe('a specification', () => {
  const bad = (sampling: object, id = 'sample', params = {}, task = 'toy/pairs') =>
    caught(() =>
      checkSpec({ method: { id, params }, models: toyModel, task: { kind: 'world', id: task }, sampling }),
    ).where;
  test('is refused with the path of a bad option', () => {
    expect(bad({ temperature: 1e-39 })).toBe('sampling.temperature');
    expect(bad({ topP: 0 })).toBe('sampling.topP');
    expect(bad({ topP: 1.1 })).toBe('sampling.topP');
    expect(bad({ topK: 0 })).toBe('sampling.topK');
    expect(bad({ topK: 2.5 })).toBe('sampling.topK');
    expect(bad({ minP: 1 })).toBe('sampling.minP');
    expect(bad({ minP: -0.1 })).toBe('sampling.minP');
    expect(bad({ guidance: { kind: 'checkpoint' } })).toBe('sampling.guidance.checkpointId');
    expect(bad({ grammar: { kind: 'pattern', pattern: 'a[^\\s\\S]' } })).toBe('sampling.grammar.pattern');
    expect(bad({ grammar: { kind: 'json-schema', schema: { enum: [] } } })).toBe('sampling.grammar.schema');
  });
  test('is refused where the method would take guided answers for its own draws', () => {
    const guidance = { kind: 'initial', weight: 2 };
    const grammar = { kind: 'pattern' as const, pattern: 'a+' };
    expect(bad({ guidance }, 'nft')).toBe('sampling.guidance');
    expect(bad({ grammar }, 'nft')).toBe('sampling.grammar');
    expect(bad({ steering: { kind: 'answers' } }, 'nft')).toBe('sampling.steering');
    expect(bad({ guidance }, 'reinforce-plus-plus', { klWeight: 0.1 })).toBe('sampling.guidance');
    expect(
      caught(() => specOf({ id: 'ppo' }, { roles: { critic: { sampling: { grammar } } } as never })).where,
    ).toBe('roles.critic.sampling.grammar');
    expect(bad({ grammar }, 'grpo', { klWeight: 0.1 })).toBe('sampling.grammar');
    expect(bad({ grammar }, 't1')).toBe('sampling.grammar');
    const methods = [{ id: 'grpo', params: { klWeight: 0 } }, { id: 'raft' }, { id: 'sample' }];
    for (const method of methods)
      expect(
        checkSpec({ method, models: toyModel, task: world, sampling: { guidance, grammar } }).sampling,
      ).toMatchObject({ guidance, grammar });
  });
  test('is the same without options and with options of none', () => {
    const none = { guidance: { kind: 'none' as const }, grammar: { kind: 'none' as const } };
    expect(specOf({ id: 'sample' }, { sampling: { maxTokens: 4, ...none } })).toEqual(
      specOf({ id: 'sample' }),
    );
    expect(Object.keys(specOf({ id: 'sample' }).sampling)).toEqual(['temperature', 'maxTokens']);
  });
});
