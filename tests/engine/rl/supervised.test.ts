import { expect, test } from 'vitest';
import * as part from '../../../engine/rl/parts/index.ts';
import type { Loop } from '../../../engine/rl/stage.ts';

const loop = {} as Loop; // these stages ask nothing of it

const groupId = Float64Array.of(0, 0, 0, 1, 1, 1, 2, 2);
const rewards = Float64Array.of(0.5, 1, 1, 0, 0.2, 0.1, 0, 0);
const rows = { groupId, 'reward/total': rewards };

test('best of K: one row of each group, the first of equal ones', async () => {
  expect([...(await part.keepBest.run(rows as never, loop)).from_R ?? []]).toEqual([1, 4, 6]);
});

test('expert iteration: all rows that reach the threshold, the best few of each group, and none where none does', async () => {
  const kept = async (threshold: number, most: number) => [...(await part.keepAbove({ threshold, most }).run(rows as never, loop)).from_R ?? []];
  expect(await kept(0.5, 8)).toEqual([0, 1, 2]);
  expect(await kept(0.1, 2)).toEqual([1, 2, 4, 5]);
  expect(await kept(2, 8)).toEqual([]);
});
