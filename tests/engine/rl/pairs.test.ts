import fc from 'fast-check';
import { expect, test } from 'vitest';
import { stream } from '../../../engine/random/random.ts';
import type { Answers, ModelPort, PerToken, Problem } from '../../../engine/rl/kernel/columns.ts';
import * as part from '../../../engine/rl/parts/index.ts';
import { sampledOf, trajectories } from '../../../engine/rl/kernel/recorder.ts';
import { applyChange, ragged, rowCount, rowOf, type Table } from '../../../engine/rl/kernel/rows.ts';
import type { StageContext, Stage } from '../../../engine/rl/kernel/stage.ts';

const maskAfter = (tokens: PerToken<Int32Array>, head: number) =>
  ragged(
    Array.from({ length: rowCount(tokens) }, (_, r) =>
      Array.from(rowOf(tokens, r), (_token, t) => Number(t >= head)),
    ),
    Uint8Array,
  );

/**
 * Generates `first`, `first + 1`, … after the prompts, and gives each token a log-probability of minus a
 * tenth of its id.
 */
const writer = (first: number): Pick<ModelPort, 'logp' | 'sample'> => ({
  logp: async (tokens) => ({
    axis: 'T',
    values: Float32Array.from(tokens.values, (token) => -token / 10),
    offsets: tokens.offsets,
  }),
  sample: async (prompts) => {
    const rows = rowCount(prompts);
    const tokens = ragged(
      Array.from({ length: rows }, (_, r) => [...rowOf(prompts, r), first + r]),
      Int32Array,
    );
    const answers: Answers = {
      tokens,
      mask: maskAfter(tokens, 2),
      behaviorLogp: { axis: 'T', values: new Float32Array(tokens.values.length), offsets: tokens.offsets },
      completion: Array.from({ length: rows }, (_, r) => `${first + r}`),
      ended: new Float64Array(rows).fill(1),
    };
    return answers;
  },
});
const context = {
  text: {
    context: 6,
    prompt: (text: string) => Int32Array.from(text, (letter) => letter.charCodeAt(0) - 96),
  },
  random: (purpose: string) => stream(1, purpose, 0),
  sample: writer(50).sample,
} as unknown as StageContext;

const run = async (stage: Stage, table: Table, models: Record<string, unknown> = {}): Promise<Table> =>
  applyChange(
    table,
    stage.id,
    await stage.run(
      Object.fromEntries(stage.needs.map((need) => [need, table[need] ?? models[need]])) as never,
      context,
    ),
  );

const problems = (prompts: readonly string[]): Problem[] =>
  prompts.map((prompt) => ({ promptId: prompt, prompt, reference: null }));

test('pairs the best and the worst answer of each group; a zero-variance group gives no pair', async () => {
  const table: Table = {
    groupId: Float64Array.of(0, 0, 0, 1, 1, 2, 2),
    'reward/total': Float64Array.of(0.2, 0.9, 0.1, 0.5, 0.5, 0, 1),
    weight: new Float64Array(7).fill(1),
    row: Float64Array.of(0, 1, 2, 3, 4, 5, 6),
  };
  const paired = await run(part.asPairs, await run(part.bestAgainstWorst, table));
  expect(paired).toMatchObject({
    row: Float64Array.of(1, 2, 6, 5),
    pairId: Float64Array.of(0, 0, 1, 1),
    chosen: Float64Array.of(1, 0, 1, 0),
    agreement: new Float64Array(4).fill(1),
  });
});

test('orders each pair with the better answer first; equal rewards get weight 0', async () => {
  const table: Table = {
    'reward/total': Float64Array.of(0, 1, 1, 0, 0.5, 0.5),
    weight: new Float64Array(6).fill(1),
    row: Float64Array.of(0, 1, 2, 3, 4, 5),
  };
  const paired = await run(part.asPairs, await run(part.betterFirst, table));
  expect(paired).toMatchObject({
    row: Float64Array.of(1, 0, 2, 3, 4, 5),
    weight: Float64Array.of(1, 1, 1, 1, 0, 0),
  });
});

test('win rates: ties count one half, and a group of one has no wins or losses', () => {
  expect(part.winRates(Float64Array.of(3, 1, 1, 0, 7), Float64Array.of(0, 0, 0, 0, 1), 'sure')).toEqual(
    Float64Array.of(1, 0.5, 0.5, 0, 0.5),
  );
  const [one, other] = part.winRates(Float64Array.of(1, 0), new Float64Array(2), 'logistic');
  expect(one).toBeCloseTo(1 / (1 + Math.exp(-1)), 12);
  expect(one + other).toBeCloseTo(1, 12);
});

test('win rates average ½ in a group, for any rewards', () => {
  fc.assert(
    fc.property(
      fc.array(fc.double({ min: -5, max: 5, noNaN: true }), { minLength: 2, maxLength: 12 }),
      fc.constantFrom('sure' as const, 'logistic' as const),
      (rewards, preference) => {
        const wins = part.winRates(Float64Array.from(rewards), new Float64Array(rewards.length), preference);
        expect(wins.reduce((a, b) => a + b, 0) / wins.length).toBeCloseTo(0.5, 9);
      },
    ),
  );
});

test('rejection sampling accepts answers in proportion to exp(r ⁄ β): three arms, initially uniform', () => {
  const rewards = [1, 0, -1];
  const beta = 0.5;
  const random = stream(3, 'test', 0);
  const counts = [0, 0, 0];
  for (let round = 0; round < 2000; round++) {
    const candidates = Array.from({ length: 60 }, () => random.pick(rewards));
    const [first] = part.accepted(candidates, { count: 1, beta }, random);
    counts[1 - candidates[first]]++;
  }
  // π_ref · exp(r ⁄ β), normalized: the KL-regularized optimum
  [0.86681, 0.11731, 0.01588].forEach((share, arm) =>
    expect(Math.abs(counts[arm] / 2000 - share)).toBeLessThan(4 * Math.sqrt((share * (1 - share)) / 2000)),
  );
});

test('rejection sampling keeps the requested number of distinct answers, or all if there are fewer', () => {
  fc.assert(
    fc.property(
      fc.array(fc.double({ min: -3, max: 3, noNaN: true }), { minLength: 1, maxLength: 12 }),
      fc.integer({ min: 1, max: 12 }),
      (rewards, count) => {
        const passed = part.accepted(rewards, { count, beta: 0.7 }, stream(5, 'test', count));
        expect(new Set(passed).size).toBe(Math.min(count, rewards.length));
      },
    ),
  );
});

test('tournament: neighbours first, then the winners; ties give no pairs', () => {
  expect(part.matches([0, 1, 3, 2], 'first-round')).toEqual([
    [1, 0],
    [2, 3],
  ]);
  expect(part.matches([0, 1, 3, 2, 5], 'tournament')).toEqual([
    [1, 0],
    [2, 3],
    [2, 1],
    [4, 2],
  ]);
  expect(part.matches([1, 1, 2], 'tournament')).toEqual([[2, 0]]);
});

test('adds a marked answer of the initial model after each sampled one', async () => {
  const prompt = ragged(
    [
      [1, 2],
      [3, 4],
    ],
    Int32Array,
  );
  const own = await writer(10).sample(prompt, [], Float64Array.of());
  const table: Table = {
    ...own,
    prompt,
    problem: problems(['ab', 'cd']),
    sample: Float64Array.of(0, 0),
    weight: Float64Array.of(1, 1),
  };
  const both = await run(part.interleaveInitial, table, { 'model/initial': writer(20) });
  expect(both).toMatchObject({
    completion: ['10', '20', '11', '21'],
    'row/initial': Float64Array.of(0, 1, 0, 1),
    weight: new Float64Array(4).fill(1),
  });
  const facts = {
    runId: 'run',
    attempt: 1,
    role: 'policy',
    update: 7,
    step: 8,
    purpose: 'train',
    temperature: 1,
    decode: () => '',
  } as const;
  expect(trajectories(sampledOf(both) as never, {}, facts).map(({ policyVersion }) => policyVersion)).toEqual(
    [7, 0, 7, 0].map((update) => `run/1/policy/${update}`),
  );
  expect((both.problem as readonly Problem[]).map(({ promptId }) => promptId)).toEqual([
    'ab',
    'ab',
    'cd',
    'cd',
  ]);
  expect([...(both.tokens as PerToken<Int32Array>).values]).toEqual([1, 2, 10, 1, 2, 20, 3, 4, 11, 3, 4, 21]);
});

test('adds two fresh answers after each stored pair: they carry no preference, and only they are recorded', async () => {
  const prompt = ragged(
    [
      [1, 2],
      [1, 2],
      [3, 4],
      [3, 4],
    ],
    Int32Array,
  );
  const tokens = ragged(
    [
      [1, 2, 5, 6],
      [1, 2, 7],
      [3, 4, 8],
      [3, 4, 9],
    ],
    Int32Array,
  );
  const table: Table = {
    prompt,
    tokens,
    mask: maskAfter(tokens, 2),
    problem: problems(['ab', 'ab', 'cd', 'cd']),
    promptId: Float64Array.of(1, 1, 2, 2),
    pairId: Float64Array.of(0, 0, 1, 1),
    chosen: Float64Array.of(1, 0, 1, 0),
    agreement: new Float64Array(4).fill(1),
    weight: new Float64Array(4).fill(1),
  };
  const all = await run(part.interleaveFresh, table);
  expect(all).toMatchObject({
    weight: Float64Array.of(1, 1, 0, 0, 1, 1, 0, 0),
    'row/fresh': Float64Array.of(0, 0, 1, 1, 0, 0, 1, 1),
    pairId: Float64Array.of(0, 0, 4, 4, 1, 1, 5, 5),
  });
  expect(Array.from({ length: 8 }, (_, r) => [...rowOf(all.tokens as PerToken<Int32Array>, r)])).toEqual([
    [1, 2, 5, 6],
    [1, 2, 7],
    [1, 2, 50],
    [1, 2, 51],
    [3, 4, 8],
    [3, 4, 9],
    [3, 4, 52],
    [3, 4, 53],
  ]);
  expect(sampledOf(all)?.completion).toEqual(['50', '51', '52', '53']);
});

test('the reference point is the mean log-ratio of answers after the next prompt, and at least 0', async () => {
  const tokens = ragged(
    [
      [1, 2, 5],
      [3, 4, 6, 7],
    ],
    Int32Array,
  );
  const table: Table = {
    prompt: ragged(
      [
        [1, 2],
        [3, 4],
      ],
      Int32Array,
    ),
    tokens,
    mask: maskAfter(tokens, 2),
  };
  const doubled = {
    logp: async (rows: PerToken<Int32Array>) => ({
      ...rows,
      values: Float32Array.from(rows.values, (token) => -token / 20),
    }),
  };
  // half the negative log-probability: answers 5 and 6, 7 gain 0.25 and 0.65
  const above = await run(part.mismatchedPoint, table, {
    'model/policy': doubled,
    'model/initial': writer(0),
  });
  for (const value of above['row/reference-point'] as Float64Array)
    expect(value).toBeCloseTo((0.25 + 0.65) / 2, 6);
  const below = await run(part.mismatchedPoint, table, {
    'model/policy': writer(0),
    'model/initial': doubled,
  });
  expect(below['row/reference-point']).toEqual(Float64Array.of(0, 0));
});

test('contrasting prompts reward tokens that the good prompt makes more likely; rows beyond the context get 0', async () => {
  const tokens = ragged(
    [
      [1, 2, 5, 6],
      [3, 4, 6, 7, 8, 9],
    ],
    Int32Array,
  );
  const table: Table = { problem: problems(['ab', 'cd']), tokens, mask: maskAfter(tokens, 2) };
  // after an 'x', every token is more likely
  const model = {
    logp: async (rows: PerToken<Int32Array>) =>
      ragged(
        Array.from({ length: rowCount(rows) }, (_, r) =>
          Array.from(rowOf(rows, r), (token) => (rowOf(rows, r)[0] === 24 ? -token / 20 : -token / 10)),
        ),
        Float32Array,
      ),
  };
  const { 'credit/contrast': rewards } = await run(part.contrastPrompts({ good: 'x', bad: 'y' }), table, {
    'model/initial': model,
  });
  const half = (token: number) => 1 / (1 + Math.exp(-token / 20)) - 0.5;
  [0, 0, half(5), half(6), 0, 0, half(6), half(7), half(8), 0].forEach((value, t) =>
    expect((rewards as PerToken).values[t]).toBeCloseTo(value, 6),
  );
});
