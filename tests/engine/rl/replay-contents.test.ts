import { describe, expect, test } from 'vitest';
import { methods } from '../../../engine/rl/methods/index.ts';
import { replayContents } from '../../../engine/rl/kernel/replay-contents.ts';
import { openDevice } from '../../../engine/runtime/index.ts';
import { ReplayContents } from '../../../engine/schema/replay.ts';
import { runToy, sanitySpec } from '../../support/toy-run.ts';

const held = (versions: readonly number[], weights: readonly number[], draw: number) =>
  replayContents(
    { 'row/version': Float64Array.from(versions), 'row/priority': Float64Array.from(weights) },
    draw,
  );
const total = (counts: readonly (readonly number[])[]): number => counts.flat().reduce((a, b) => a + b, 0);

describe('what a replay buffer holds', () => {
  test('is counted by age in whole batches, and by weight in bins of equal ratio', () => {
    // ages 1, 2, 3 at batch 10; weights from 1 to 4096, twice as much from bin to bin
    const found = held([9, 8, 7, 7], [1, 3, 4096, 64], 10);
    expect(found?.ages).toEqual([1, 2, 3, 4]);
    found?.weights.forEach((end, at) => expect(end / 2 ** at).toBeCloseTo(1, 9));
    expect(found?.weights).toHaveLength(13);
    expect(found?.counts[0]).toEqual([1, 0, 0]);
    expect(found?.counts[1]).toEqual([0, 1, 0]);
    expect(found?.counts[11]).toEqual([0, 0, 1]);
    expect(found?.rows).toBe(4);
    expect(found?.effective).toBeCloseTo(4164 ** 2 / (4 * (1 + 9 + 4096 ** 2 + 64 ** 2)), 12);
    expect(total(found?.counts ?? [])).toBe(4);
  });

  test('stays small however many rows there are, and every row is counted once', () => {
    const rows = 100_000;
    const versions = Array.from({ length: rows }, (_none, r) => Math.floor(r / 7));
    const weights = Array.from({ length: rows }, (_none, r) => 1 + ((r * 7919) % 1000));
    const found = held(versions, weights, 20_000);
    expect(found?.ages.length).toBeLessThanOrEqual(13);
    expect(found?.ages.every(Number.isInteger)).toBe(true);
    // 14,286 batches, the newest of which is 20,000 − 14,285 batches old
    expect([found?.ages[0], found?.ages.at(-1)]).toEqual([5715, 20_001]);
    expect(total(found?.counts ?? [])).toBe(rows);
    expect(ReplayContents.parse({ step: 1, buffer: 'steps', ...found })).toMatchObject({ rows });
  });

  test('has one bin for equal weights and one age, and none for a weight that is no number', () => {
    expect(held([4, 4, 4], [2, 2, 2], 5)).toEqual({
      rows: 3,
      effective: 1,
      ages: [1, 2],
      weights: [expect.closeTo(2, 12), expect.closeTo(2, 12)],
      counts: [[3]],
    });
    const found = held([4, 4, 4], [2, Number.NaN, 0], 5);
    expect([found?.rows, found?.effective, total(found?.counts ?? [])]).toEqual([3, 1, 1]);
    expect(held([4], [Number.NaN], 5)).toMatchObject({ rows: 1, effective: 0, counts: [[0]] });
  });

  test('is told of no buffer without weights, nor of an empty one', () => {
    expect(replayContents({ 'row/version': Float64Array.of(1) }, 2)).toBeNull();
    expect(held([], [], 2)).toBeNull();
  });
});

test('answers kept by ROER are reported at each evaluation, those that are too old left out', async () => {
  const roer = methods.find(({ id }) => id === 'roer');
  if (!roer) throw new Error('there is no ROER');
  const spec = sanitySpec(roer, 1);
  const device = await openDevice({ id: 'cpu', threads: 1 });
  const seen = await runToy(device, {
    ...spec,
    method: { ...spec.method, params: { ...spec.method.params, maxAge: 3 } },
    budget: { ...spec.budget, steps: 12 },
    evaluation: { ...spec.evaluation, problems: 4, samples: 1, every: 6 },
  });
  await device.close();
  const held = seen.flatMap((event) =>
    event.type === 'result' && event.kind === 'replay' ? [event.value] : [],
  );
  expect(held.map(({ step, buffer }) => [step, buffer])).toEqual([
    [6, 'kept'],
    [12, 'kept'],
  ]);
  // batches of the policy: every other step is one of the critic
  expect(held.map(({ ages }) => ages)).toEqual([
    [1, 2, 3, 4],
    [1, 2, 3, 4],
  ]);
  for (const { rows, counts } of held) expect(total(counts)).toBe(rows);
});
