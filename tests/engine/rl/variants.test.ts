import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import type { PerToken } from '../../../engine/rl/kernel/columns.ts';
import { sum, weighted } from '../../../engine/rl/kernel/objective.ts';
import { train } from '../../../engine/rl/kernel/recipe.ts';
import { broadcast, rowOf, tableRows, type Table } from '../../../engine/rl/kernel/rows.ts';
import { pipe } from '../../../engine/rl/kernel/stage.ts';
import { enumerable } from '../../../engine/rl/kernel/optimum.ts';
import { methods } from '../../../engine/rl/methods/index.ts';
import * as part from '../../../engine/rl/parts/index.ts';
import { Updater } from '../../../engine/rl/compute/updater.ts';
import { descend } from '../../../engine/rl/proof/bandit.ts';
import { everyOutcome, onAnswer, tabularGraph, tabularParameters } from '../../../engine/rl/proof/tabular.ts';
import { OptimizerSpec } from '../../../engine/schema/run-spec.ts';
import { openDevice, type Device } from '../../../engine/runtime/index.ts';
import { stream } from '../../../engine/random/random.ts';
import { averagingWeights } from '../../../engine/rl/parts/math/averages.ts';
import { answersOf, perToken, runPart } from '../../support/run-part.ts';

let device: Device;
beforeAll(async () => {
  device = await openDevice({ id: 'cpu', threads: 1 });
});
afterAll(() => device.close());

const grouped = (groups: readonly number[], rewards: readonly number[]): Table => ({
  ...answersOf(groups.length),
  groupId: Float64Array.from(groups),
  weight: new Float64Array(groups.length).fill(1),
  'reward/total': Float64Array.from(rewards),
});
const creditsOf = (table: Table) =>
  Array.from({ length: tableRows(table) }, (_, r) => rowOf(table.advantage as PerToken, r)[0]);

describe('Lite PPO and ScaleRL', () => {
  const table = grouped([0, 0, 0, 0, 1, 1, 1, 1], [1, 0, 0, 0, 1, 1, 1, 1]);

  test('divide the distance to the group’s mean by the deviation of the batch', async () => {
    // rewards: mean 5/8, deviation √(15/64); advantages: ¾, −¼, −¼, −¼ and zeros, deviation √(¾ ⁄ 8)
    const lite = creditsOf(await runPart(part.centerOverBatch({ spread: 'rewards' }), table));
    [0.75, -0.25, -0.25, -0.25, 0, 0, 0, 0].forEach((a, r) =>
      expect(lite[r]).toBeCloseTo(a / Math.sqrt(15 / 64), 5),
    );
    const scale = creditsOf(await runPart(part.centerOverBatch({ spread: 'advantages' }), table));
    expect(scale[0]).toBeCloseTo(0.75 / Math.sqrt(0.75 / 8), 4);
  });

  test('have no advantage where all rewards of the batch are equal, and in a batch without rows', async () => {
    const flat = grouped([0, 0], [1, 1]);
    expect(creditsOf(await runPart(part.centerOverBatch({ spread: 'rewards' }), flat))).toEqual([0, 0]);
    expect(tableRows(await runPart(part.centerOverBatch({ spread: 'rewards' }), grouped([], [])))).toBe(0);
  });

  test('prompts count the same in an average over tokens, whatever their answers’ length', async () => {
    const mask = (lengths: readonly number[]): PerToken<Uint8Array> => ({
      axis: 'T',
      values: new Uint8Array(lengths.reduce((a, b) => a + b, 0)).fill(1),
      offsets: Uint32Array.from([
        0,
        ...lengths.map((_, r) => lengths.slice(0, r + 1).reduce((a, b) => a + b)),
      ]),
    });
    const own = { ...grouped([0, 0, 1, 1], [0, 0, 0, 0]), mask: mask([1, 3, 10, 2]) };
    const even = await runPart(part.evenPrompts, own);
    const weights = averagingWeights(own.mask, even.weight as Float64Array, 'token', { maxTokens: 10 });
    const shares = [0, 1, 2, 3].map((r) => rowOf(weights, r).reduce((a, b) => a + b, 0));
    [1 / 8, 3 / 8, 10 / 24, 2 / 24].forEach((share, r) => expect(shares[r]).toBeCloseTo(share, 9));
  });
});

describe('PF-PPO keeps the answers of a group whose rewards are most trustworthy', () => {
  const table = grouped([0, 0, 0, 0, 0, 1, 1], [0.1, 0.9, 0.5, 0.3, 0.7, 1, 0]);
  const kept = async (of: part.Kept, keep: number) =>
    Array.from((await runPart(part.keepExtremes({ kept: of, keep }), table))['reward/total'] as Float64Array);
  test('best, both ends, and the best with random others', async () => {
    expect(await kept('best', 2)).toEqual([0.9, 0.7, 1, 0]);
    expect(await kept('best-worst', 3)).toEqual([0.1, 0.9, 0.7, 1, 0]);
    const random = await kept('best-random', 4);
    expect(random).toHaveLength(6);
    expect(random).toEqual(expect.arrayContaining([0.9, 0.7, 1, 0]));
  });

  test('the ends carry the true order where a reward model’s middle is noise', () => {
    // proxy = truth at the ends (|truth| > 1), noise within: correlation of proxy and truth on what is kept
    const random = stream(3, 'rewards');
    const groups = Array.from({ length: 400 }, () =>
      Array.from({ length: 8 }, () => {
        const truth = 2 * random.normal();
        return { truth, proxy: Math.abs(truth) > 2 ? truth : random.normal() };
      }).sort((a, b) => b.proxy - a.proxy),
    );
    const squared = (rows: readonly { readonly truth: number; readonly proxy: number }[]) => {
      const mean = (of: (row: (typeof rows)[number]) => number) =>
        rows.reduce((total, row) => total + of(row), 0) / rows.length;
      const [t, p] = [mean((r) => r.truth), mean((r) => r.proxy)];
      const covariance = mean((r) => (r.truth - t) * (r.proxy - p));
      return covariance ** 2 / (mean((r) => (r.truth - t) ** 2) * mean((r) => (r.proxy - p) ** 2));
    };
    const ends = squared(groups.flatMap((g) => [g[0], g[1], g[6], g[7]]));
    expect(ends).toBeGreaterThan(squared(groups.flat()) + 0.05);
    expect(ends).toBeGreaterThan(squared(groups.flatMap((g) => g.slice(0, 4))) + 0.05);
  });
});

describe('GRPO-RoC', () => {
  test('keeps half of a group: wrong answers in their share, right ones by their faults', async () => {
    const clean = 'so 4';
    const faulty = 'error error error error error error error error error 4';
    let kept = 0;
    for (let draw = 0; draw < 40; draw++) {
      const table: Table = {
        ...grouped([0, 0, 0, 0, 0, 0, 0, 0], [1, 1, 1, 1, 0, 0, 0, 0]),
        completion: [clean, faulty, clean, faulty, 'a', 'b', 'c', 'd'],
        ended: new Float64Array(8).fill(1),
      };
      const rows = await runPart(part.resampleOnCorrect, table, {
        random: (purpose) => stream(draw, purpose),
      });
      const text = rows.completion as readonly string[];
      expect(text.filter((one) => one.length === 1)).toHaveLength(2);
      expect(text).toHaveLength(4);
      kept += text.filter((one) => one === faulty).length;
    }
    // 80 right ones are kept, half of them would be faulty without the weights 1 and 1 ⁄ 100
    expect(kept).toBeLessThan(8);
  });

  test('faults are errors of a tool, and an answer without an end', () => {
    expect(part.faultsOf('ERROR: 1, errors', 1)).toBe(1);
    expect(part.faultsOf('error error', 0)).toBe(3);
  });
});

describe('fixed points on arms', () => {
  const near = (found: ArrayLike<number>, wanted: ArrayLike<number>) =>
    Array.from(wanted).forEach((p, at) => expect(Math.abs(found[at] - p)).toBeLessThan(2e-3));
  const wanted = (id: string, rewards: readonly number[], beta: number) =>
    methods
      .find((method) => method.id === id)
      ?.optimum(enumerable({ rewards, reference: rewards.map(() => 1 / rewards.length) }), { beta }) ?? [];

  test('GDC reaches the target by the forward divergence, which no-penalty REINFORCE leaves behind', async () => {
    const rewards = [1, 0, -1];
    const run = await descend(device, {
      rewards,
      rate: 0.5,
      steps: 200,
      recipe: ({ verifiable: task }) =>
        train({
          rows: pipe(
            task.prompts,
            part.sampleGroups({ groupSize: 3 }),
            part.score(task.reward),
            part.logpUnder('initial'),
            part.targetWeights({ beta: 0.5 }),
          ),
          objective: part.scoreFunction(),
        }),
    });
    near(run.policies[200], wanted('gdc', rewards, 0.5));
    // KL(target ‖ policy) falls at every tenth step
    const target = wanted('gdc', rewards, 0.5);
    const divergence = (policy: Float64Array) =>
      Array.from(target).reduce((total, p, at) => total + p * Math.log(p / policy[at]), 0);
    const curve = run.policies.filter((_, step) => step % 10 === 0 && step <= 100).map(divergence);
    curve.slice(1).forEach((value, at) => expect(value).toBeLessThan(curve[at]));
  });

  test('PRDP reaches π_initial·exp(r ⁄ β), although the clip binds on the way', async () => {
    const rewards = [1, 0];
    const run = await descend(device, {
      rewards,
      rate: 0.5,
      steps: 200,
      recipe: ({ verifiable: task }) =>
        train({
          rows: pipe(
            task.prompts,
            part.sampleGroups({ groupSize: 2 }),
            part.score(task.reward),
            part.logpUnder('initial'),
          ),
          objective: part.rewardDifferences({ beta: 0.5, clip: 0.2 }),
        }),
    });
    near(run.policies[200], wanted('prdp', rewards, 0.5));
  });
});

test('Lp-Reg holds an unlikely token of a bad answer to its probability, and leaves noise alone', async () => {
  const V = 4;
  // the sampler gave arm 2 a probability of .04; the policy has lost half of it; arm 3 is noise
  const sampler = [0.5, 0.45, 0.04, 0.01];
  const logits = [0.5, 0.475, 0.02, 0.005].map(Math.log);
  const slope = async (weight: number, minP: number) =>
    (
      await new Updater({
        device,
        graph: tabularGraph(V),
        parameters: tabularParameters(logits),
        objective: sum(
          part.clippedSurrogate({ clipLow: 0.2, clipHigh: 0.28, average: 'token' }),
          weighted(weight, part.lowProbability({ share: 0.75, minP })),
        ),
        optimizer: OptimizerSpec.parse({}),
        limits: { maxTokens: 1 },
        temperature: 1,
        steps: 1,
      }).gradient({
        ...everyOutcome(V),
        weight: Float64Array.from(sampler, (p) => p * V),
        behaviorLogp: onAnswer(sampler.map(Math.log)),
        advantage: broadcast([0.5, 0.5, -1, -1], everyOutcome(V).mask),
      })
    ).gradient;
  const [plain, held, strict] = [await slope(0, 0.02), await slope(30, 0.02), await slope(30, 0.2)];
  // descent raises a logit whose slope is negative
  expect(plain[2]).toBeGreaterThanOrEqual(0);
  expect(held[2]).toBeLessThan(-1e-3);
  // below minP × the largest probability a token is noise, and is left to the policy gradient
  expect(held[3] - plain[3]).toBeGreaterThan(-1e-4);
  Array.from(strict).forEach((s, at) => expect(s).toBeCloseTo(plain[at], 6));
});

describe('stored answers by their return', () => {
  test('advantage-weighted sampling draws each as often as exp((r − V) ⁄ α) says', async () => {
    const table = { ...grouped([0, 0, 0, 0], [1, 0, 1, 0]), behaviorLogp: perToken([0, 0, 0, 0]) };
    const values = { values: async () => perToken([0.5, 0.5, 1, 0]) };
    const context = { ports: { 'model/critic': values }, random: () => ({ next: () => 0.5 }) as never };
    const weighed = await runPart(part.sampleByAdvantage({ alpha: 0.5 / Math.LN2 }), table, context);
    // weights 2, ½, 1, 1: of 4 rows 1.78, .44, .89, .89
    expect(Array.from(weighed['reward/total'] as Float64Array)).toEqual([1, 1, 1, 0]);
    const plain = await runPart(part.sampleByReturn({ alpha: 0.1 }), table, context);
    expect(Array.from(plain['reward/total'] as Float64Array)).toEqual([1, 1, 1, 1]);
  });

  test('a return that is no number is refused', async () => {
    const table = grouped([0, 0], [1, NaN]);
    await expect(runPart(part.sampleByReturn({ alpha: 1 }), table)).rejects.toThrow(/not a finite number/);
  });
});
