import { expect, test } from 'vitest';
import { stream } from '../../../engine/random/random.ts';
import type { Columns, Problem } from '../../../engine/rl/kernel/columns.ts';
import { Control, type LiveController, type TurnView } from '../../../engine/rl/kernel/control.ts';
import { controllers } from '../../../engine/rl/controllers/index.ts';
import { describe as describeTask, RiskModel } from '../../../engine/rl/controllers/mpts.ts';
import { importanceWeighted, TRUNCATION } from '../../../engine/rl/run/off-policy.ts';
import { entropyBonus } from '../../../engine/rl/parts/regularizers/entropy-bonus.ts';
import { ragged, type Table } from '../../../engine/rl/kernel/rows.ts';

const open = (id: string, params: object = {}): LiveController =>
  controllers.find((one) => one.id === id)!.open(params, { steps: 100, batch: 8 });
const at = (batch: number): TurnView => ({ progress: 0, random: (purpose) => stream(1, purpose, batch) });
const problem = (p: number, level?: number): Problem => ({
  promptId: `p${p}`,
  prompt: `p${p}`,
  reference: null,
  ...(level !== undefined && { level }),
});

/** Groups of answers with these rewards. */
const batch = (
  groups: readonly { readonly problem: Problem; readonly rewards: readonly number[] }[],
): Table => {
  const rows = groups.flatMap(({ problem: item, rewards }, group) =>
    rewards.map((reward) => ({ item, group, reward })),
  );
  return {
    problem: rows.map(({ item }) => item),
    groupId: Float64Array.from(rows, ({ group }) => group),
    weight: new Float64Array(rows.length).fill(1),
    'reward/total': Float64Array.from(rows, ({ reward }) => reward),
  };
};

test('sec: Q ← α·r + (1 − α)·Q, with the mean |advantage| of a level as r', () => {
  const sec = open('sec', { rate: 0.25 });
  // rewards 1, 0: mean ½, standard deviation √½, |advantage| = √½ (up to the 1e-6); zero-variance groups have none
  const rows = batch([
    { problem: problem(0, 1), rewards: [1, 0] },
    { problem: problem(1, 2), rewards: [1, 1] },
  ]);
  sec.observe?.(rows, {});
  expect(sec.metrics?.()).toEqual({ 'level-1': expect.closeTo(0.25 * Math.SQRT1_2, 5), 'level-2': 0 });
  sec.observe?.(rows, {});
  expect(sec.metrics?.()['level-1']).toBeCloseTo((0.25 + 0.75 * 0.25) * Math.SQRT1_2, 5);
  // a credit column of the recipe takes precedence
  const credited = {
    ...rows,
    mask: ragged([[1], [1], [1], [1]], Uint8Array),
    advantage: ragged([[2], [-2], [0.5], [-0.5]], Float64Array),
  };
  const other = open('sec', { rate: 1 });
  other.observe?.(credited, {});
  expect(other.metrics?.()).toEqual({ 'level-1': 2, 'level-2': 0.5 });
});

test('sec: samples levels in proportion to exp(Q ⁄ temperature), and never runs out of a level', () => {
  const sec = open('sec', { rate: 1, temperature: 0.5 });
  sec.observe?.(
    {
      ...batch([
        { problem: problem(0, 1), rewards: [1] },
        { problem: problem(1, 2), rewards: [1] },
      ]),
      mask: ragged([[1], [1]], Uint8Array),
      advantage: ragged([[1], [0.5]], Float64Array),
    },
    {},
  );
  let first = 0;
  for (let draw = 0; draw < 4000; draw++)
    first += Number(sec.choose?.([problem(2, 2), problem(3, 1)], 1, at(draw))[0].level === 1);
  // e² ⁄ (e² + e¹) = 0.731, ± 4 standard errors
  expect(Math.abs(first / 4000 - Math.E / (Math.E + 1))).toBeLessThan(0.03);
  const chosen = sec.choose?.([problem(0, 1), problem(1, 2), problem(2, 2)], 3, at(0)) ?? [];
  expect(new Set(chosen.map(({ promptId }) => promptId)).size).toBe(3);
});

test('MPTS: the posterior of a linear risk model is that of Bayesian regression, and its bound selects tasks', () => {
  const model = new RiskModel({ noise: 0.5, keep: 1 });
  const features = describeTask({ prompt: 'abc', level: 2 });
  const squares = features.reduce((sum, x) => sum + x * x, 0);
  // prior weights have deviation ½
  expect(model.predict(features)).toEqual({ mean: 0, deviation: expect.closeTo(Math.sqrt(squares) / 2, 9) });
  model.learn([{ features, risk: 0.8, answers: 4 }]);
  // in the one direction seen: prior variance v = |φ|² ⁄ 4 and noise ¼ ⁄ 4 per mean of four answers
  const [prior, noise] = [squares / 4, 0.25 / 4];
  const { mean, deviation } = model.predict(features);
  expect(mean).toBeCloseTo((0.8 * prior) / (prior + noise), 9);
  expect(deviation).toBeCloseTo(Math.sqrt((prior * noise) / (prior + noise)), 9);
});

test('MPTS: predicts the risk of tasks that were never tried, and is surer of them than of strange ones', () => {
  const mpts = open('mpts', { optimism: 0 });
  const task = (name: string, level: number): Problem => ({
    ...problem(0, level),
    promptId: name,
    prompt: name,
  });
  const risk = [0, 0.2, 0.5, 0.9];
  for (let round = 0; round < 12; round++)
    mpts.observe?.(
      batch(
        [0, 1, 2, 3].map((level) => ({
          problem: task(`level ${level}, task ${round}`, level),
          rewards: [1 - risk[level], 1 - risk[level]],
        })),
      ),
      {},
    );
  const candidates = [2, 0, 3, 1].map((level) => task(`level ${level}, task 77`, level));
  expect(mpts.choose?.(candidates, 4, at(0)).map(({ level }) => level)).toEqual([3, 2, 1, 0]);
  expect(mpts.metrics?.().prediction_error).toBeLessThan(0.15);
  // with optimism a task unlike any that was tried comes first
  const curious = open('mpts', { optimism: 10 });
  curious.restore?.(mpts.state?.());
  const strange = task('zzz', 9);
  expect(curious.choose?.([...candidates, strange], 1, at(0))).toEqual([strange]);
  // tasks that are taken for unsolvable come last
  const bounded = open('mpts', { optimism: 0, most: 0.7 });
  bounded.restore?.(mpts.state?.());
  expect(bounded.choose?.(candidates, 4, at(0)).map(({ level }) => level)).toEqual([2, 1, 0, 3]);
});

test('aepo: the weight follows the error and its sum, the temperature follows the sum, both within their bounds', () => {
  const aepo = open('aepo', {
    target: 1,
    knob: 'both',
    gain: 0.1,
    proportional: 0.04,
    weightGain: 0.02,
    heaviest: 0.05,
    highest: 1.2,
  });
  expect([aepo.temperature?.(at(0)), aepo.weights?.(at(0))]).toEqual([1, { entropy: 0 }]);
  aepo.observe?.({}, { entropy: 0.5 });
  expect(aepo.temperature?.(at(0))).toBeCloseTo(Math.exp(0.05), 12);
  expect(aepo.weights?.(at(0))).toEqual({ entropy: expect.closeTo(0.03, 12) });
  for (let i = 0; i < 20; i++) aepo.observe?.({}, { entropy: 0 });
  expect(aepo.temperature?.(at(0))).toBeCloseTo(1.2, 12);
  expect(aepo.weights?.(at(0))).toEqual({ entropy: 0.05 });
  for (let i = 0; i < 9; i++) aepo.observe?.({}, { entropy: 2 });
  expect(aepo.weights?.(at(0))).toEqual({ entropy: 0 });
  // without a metric, estimate the entropy from the sampled tokens
  aepo.observe?.(
    { mask: ragged([[0, 1, 1]], Uint8Array), behaviorLogp: ragged([[0, -1, -3]], Float32Array) },
    {},
  );
  expect(aepo.metrics?.().entropy).toBe(2);
});

test('the entropy term has the weight that controllers set', () => {
  const columns = {
    tokens: ragged([[1, 2, 3]], Int32Array),
    mask: ragged([[0, 1, 1]], Uint8Array),
    weight: Float64Array.of(1),
  };
  const weights = (given?: { entropy: number }) =>
    entropyBonus.terms[0].prepare(columns, { maxTokens: 4, weights: given }).weights;
  expect(weights()).toMatchObject({ values: Float64Array.of(0, 0.5, 0.5) });
  expect(weights({ entropy: 0.1 })).toMatchObject({ values: Float64Array.of(0, 0.05, 0.05) });
  const control = new Control([{ id: 'a', live: open('aepo', { knob: 'weight' }) }]);
  expect([control.adds, control.samplesOffPolicy]).toEqual([['entropy'], false]);
});

test(
  'rows sampled at another temperature: credit times the truncated ratio, with ratios from the role’s ' +
    'own log-probabilities',
  () => {
    const offsets = { axis: 'T' as const, offsets: Uint32Array.of(0, 3) };
    const table: Table = {
      mask: { ...offsets, values: Uint8Array.of(0, 1, 1) },
      advantage: { ...offsets, values: Float64Array.of(0, 2, -1) },
      behaviorLogp: { ...offsets, values: Float32Array.of(0, Math.log(0.5), Math.log(0.1)) },
    };
    const own = { ...offsets, values: Float32Array.of(-9, Math.log(0.25), Math.log(0.4)) };
    const { advantage, behaviorLogp } = importanceWeighted(table, own) as Partial<
      Pick<Columns, 'advantage' | 'behaviorLogp'>
    >;
    expect([...(advantage?.values ?? [])]).toEqual([0, expect.closeTo(2 * 0.5, 6), -TRUNCATION]);
    expect([...(behaviorLogp?.values ?? [])]).toEqual([0, own.values[1], own.values[2]]);
    expect(importanceWeighted({ mask: table.mask }, own)).toEqual({ mask: table.mask });
  },
);
