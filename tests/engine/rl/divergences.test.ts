import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import type { ColumnValue } from '../../../engine/rl/kernel/columns.ts';
import { sum, weighted } from '../../../engine/rl/kernel/objective.ts';
import { enumerable } from '../../../engine/rl/kernel/optimum.ts';
import { train } from '../../../engine/rl/kernel/recipe.ts';
import { problems } from '../../../engine/rl/kernel/check.ts';
import { ragged, rowOf, tableRows, type Table } from '../../../engine/rl/kernel/rows.ts';
import type { PerToken } from '../../../engine/rl/kernel/columns.ts';
import { pipe } from '../../../engine/rl/kernel/stage.ts';
import * as part from '../../../engine/rl/parts/index.ts';
import { descend } from '../../../engine/rl/proof/bandit.ts';
import { average } from '../../../engine/rl/run/snapshots.ts';
import { openDevice, type Device } from '../../../engine/runtime/index.ts';
import { answersOf, perToken, runPart } from '../../support/run-part.ts';

let device: Device;
beforeAll(async () => {
  device = await openDevice({ id: 'cpu', threads: 1 });
});
afterAll(() => device.close());

const rewards = [1, 0, -1];
const logits = [0, 0.7, -0.4];
const reference = logits.map((x) => Math.exp(x) / logits.reduce((total, y) => total + Math.exp(y), 0));
const weight = 2;
const settled = async (kind: part.ExactKind) => {
  const steps = 400;
  const { policies } = await descend(device, {
    rewards,
    logits,
    rate: 1,
    steps,
    recipe: ({ verifiable: task }) =>
      train({
        rows: pipe(
          task.prompts,
          part.sampleGroups({ groupSize: 3 }),
          part.score(task.reward),
          part.centerByGroup({ scaleBy: 'none' }),
        ),
        objective: sum(
          part.clippedSurrogate({ clipLow: 0.2, clipHigh: 0.2 }),
          weighted(weight, part.exactDivergence('initial', { kind })),
        ),
      }),
  });
  return policies[steps];
};

describe('exact divergences from the initial policy lead to their closed forms', () => {
  test.each([
    ['reverse', 'policy-to-reference'],
    ['forward', 'reference-to-policy'],
  ] as const)('%s', async (kind, divergence) => {
    const wanted = enumerable({ rewards, reference }).fixedPoint({ divergence, weight });
    (await settled(kind)).forEach((p, arm) => expect(Math.abs(p - wanted[arm])).toBeLessThan(1e-3));
  });

  test('jensen-shannon: r − weight·½·log(2π ⁄ (π + π_ref)) is the same for every arm', async () => {
    const policy = await settled('jensen-shannon');
    const slopes = rewards.map(
      (r, arm) => r - (weight / 2) * Math.log((2 * policy[arm]) / (policy[arm] + reference[arm])),
    );
    // the divergence is bounded, so it may leave an arm: only those that are kept must agree
    const kept = [...policy.keys()].filter((arm) => policy[arm] > 1e-3);
    expect(kept.length).toBeGreaterThan(1);
    kept.forEach((arm) => expect(Math.abs(slopes[arm] - slopes[kept[0]])).toBeLessThan(5e-3));
  });
});

test('a recipe that reads the distributions of an unknown model is refused', () => {
  const recipe = (model: string) =>
    train({
      rows: pipe({
        id: 'rows',
        station: 'start' as const,
        needs: [],
        adds: ['tokens', 'mask', 'weight'] as const,
        run: async () => ({ columns: {} as never }),
      }),
      objective: part.exactDivergence(model, { kind: 'forward' }),
    });
  expect(problems(recipe('initial'))).toEqual([]);
  expect(problems(recipe('nobody')).join()).toMatch(/reads 'model\/nobody', which nothing provides/);
  expect(problems(recipe('average')).join()).toMatch(/nothing says how it is averaged/);
});

test('the average of a parameter that moves evenly lags decay ⁄ (1 − decay) steps behind', () => {
  const [decay, steps] = [0.75, 60];
  const mean = Float32Array.of(0);
  for (let step = 1; step <= steps; step++) average(mean, Float32Array.of(step), { decay }, step);
  // Σ (1 − d)·d^(n − k)·k = n − d ⁄ (1 − d) + d^(n + 1) ⁄ (1 − d)
  expect(mean[0]).toBeCloseTo(steps - decay / (1 - decay), 4);
  const copied = Float32Array.of(0);
  for (let step = 1; step <= 7; step++) average(copied, Float32Array.of(step), { every: 3 }, step);
  expect(copied[0]).toBe(6);
});

describe('DPH-RL', () => {
  const grouped = (groups: readonly number[], reward: readonly number[]): Table => ({
    ...answersOf(groups.length),
    groupId: Float64Array.from(groups),
    promptId: Float64Array.from(groups, (g) => 10 + g),
    'reward/total': Float64Array.from(reward),
  });

  test('keeps the answers to prompts that the initial model solves', async () => {
    const table = grouped([0, 0, 1, 1, 2, 2], [1, 1, 1, 0, 0, 0]);
    const ids = async (share: number) =>
      Array.from((await runPart(part.keepSolved({ share }), table)).promptId as Float64Array);
    expect(await ids(0.99)).toEqual([10, 10]);
    expect(await ids(0.5)).toEqual([10, 10, 11, 11]);
  });

  test('explores the other prompts, and at least one', async () => {
    const skip = async (stored: readonly number[] | undefined) =>
      Array.from(
        (
          await runPart(
            part.skipStored({ from: 'solved' }),
            { promptId: Float64Array.of(10, 11, 12) },
            { ports: { 'buffer/solved/promptId': stored && Float64Array.from(stored) } },
          )
        ).promptId as Float64Array,
      );
    expect(await skip(undefined)).toEqual([10, 11, 12]);
    expect(await skip([11, 11])).toEqual([10, 12]);
    expect(await skip([10, 11, 12])).toEqual([10]);
  });

  test('adds stored rows without weight or credit, which the divergence alone counts', async () => {
    const stored = ragged([[5, 6, 7]], Int32Array);
    const table: Table = {
      ...answersOf(2),
      behaviorLogp: ragged(
        [
          [0, -1],
          [0, -1],
        ],
        Float32Array,
      ),
      advantage: perToken([1, -1]),
      weight: Float64Array.of(1, 1),
    };
    const ports = {
      'buffer/solved/tokens': stored,
      'buffer/solved/mask': ragged([[0, 1, 1]], Uint8Array),
      'buffer/solved/behaviorLogp': ragged([[0, -0.5, -0.25]], Float32Array),
    };
    const mixed = await runPart(part.withRehearsal({ from: 'solved', share: 0.5 }), table, { ports });
    expect(tableRows(mixed)).toBe(3);
    expect(Array.from(mixed['row/fresh'] as Float64Array)).toEqual([1, 1, 0]);
    expect(Array.from(mixed.weight as Float64Array)).toEqual([1, 1, 0]);
    expect([...rowOf(mixed.tokens as PerToken<Int32Array>, 2)]).toEqual([5, 6, 7]);
    const [term] = part.rehearsalDivergence({ kind: 'forward' }).terms;
    const { weights } = term.prepare(mixed as { readonly [name: string]: ColumnValue }, { maxTokens: 4 });
    expect(Array.from((weights as PerToken).values)).toEqual([0, 0, 0, 0, 0, 0.5, 0.5]);
    const plain = await runPart(part.withRehearsal({ from: 'solved', share: 0.5 }), table);
    expect(tableRows(plain)).toBe(2);
  });
});
