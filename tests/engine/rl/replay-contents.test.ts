import { describe, expect, test } from 'vitest';
import { replayContents } from '../../../engine/rl/kernel/replay-contents.ts';
import { ReplayContents } from '../../../engine/schema/replay.ts';

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
    expect(total(found?.counts ?? [])).toBe(4);
  });

  test('stays small however many rows there are, and every row is counted once', () => {
    const rows = 100_000;
    const versions = Array.from({ length: rows }, (_none, r) => Math.floor(r / 7));
    const weights = Array.from({ length: rows }, (_none, r) => 1 + ((r * 7919) % 1000));
    const found = held(versions, weights, 20_000);
    expect(found?.ages.length).toBeLessThanOrEqual(13);
    expect(found?.ages.every(Number.isInteger)).toBe(true);
    expect(total(found?.counts ?? [])).toBe(rows);
    expect(ReplayContents.parse({ step: 1, buffer: 'steps', ...found })).toMatchObject({ rows });
  });

  test('has one bin for equal weights and one age, and none for a weight that is no number', () => {
    expect(held([4, 4, 4], [2, 2, 2], 5)).toEqual({
      rows: 3,
      ages: [1, 2],
      weights: [expect.closeTo(2, 12), expect.closeTo(2, 12)],
      counts: [[3]],
    });
    const found = held([4, 4, 4], [2, Number.NaN, 0], 5);
    expect([found?.rows, total(found?.counts ?? [])]).toEqual([3, 1]);
  });

  test('is told of no buffer without weights, nor of an empty one', () => {
    expect(replayContents({ 'row/version': Float64Array.of(1) }, 2)).toBeNull();
    expect(held([], [], 2)).toBeNull();
  });
});
