import { expect, test } from 'vitest';
import type { Columns } from '../../../engine/rl/kernel/columns.ts';
import * as part from '../../../engine/rl/parts/index.ts';
import { ragged } from '../../../engine/rl/kernel/rows.ts';
import type { StageContext } from '../../../engine/rl/kernel/stage.ts';

const context = {} as StageContext; // these stages do not use it

const groupId = Float64Array.of(0, 0, 0, 1, 1, 1, 2, 2);
const rewards = Float64Array.of(0.5, 1, 1, 0, 0.2, 0.1, 0, 0);
const rows = { groupId, 'reward/total': rewards };

test('best of K: one row of each group, the first of equal ones', async () => {
  expect([...((await part.keepBest.run(rows as never, context)).from_R ?? [])]).toEqual([1, 4, 6]);
});

test('leaves out zero-variance groups, and can leave no rows', async () => {
  expect([...((await part.dropFlatGroups.run(rows as never, context)).from_R ?? [-1])]).toEqual([
    0, 1, 2, 3, 4, 5,
  ]);
  expect([
    ...((
      await part.dropFlatGroups.run(
        { groupId, 'reward/total': new Float64Array(8).fill(1) } as never,
        context,
      )
    ).from_R ?? [-1]),
  ]).toEqual([]);
});

test('expert iteration: all rows that reach the threshold, the best few of each group, and none if none reaches it', async () => {
  const kept = async (threshold: number, most: number) => [
    ...((await part.keepAbove({ threshold, maxPerPrompt: most }).run(rows as never, context)).from_R ?? []),
  ];
  expect(await kept(0.5, 8)).toEqual([0, 1, 2]);
  expect(await kept(0.1, 2)).toEqual([1, 2, 4, 5]);
  expect(await kept(2, 8)).toEqual([]);
});

const tokens = ragged(
  [
    [1, 5, 6, 2],
    [1, 7, 8, 2],
  ],
  Int32Array,
);
const mask = ragged(
  [
    [0, 0, 1, 1],
    [0, 0, 1, 1],
  ],
  Uint8Array,
);

test('marks poor answers with a prefix and a lower weight, within the model’s context', async () => {
  const marked = async (context: number) =>
    (
      await part
        .markPoor({ threshold: 0.5, poor: 0.1 })
        .run(
          { tokens, mask, weight: Float64Array.of(1, 2), 'reward/total': Float64Array.of(1, 0) } as never,
          { text: { end: 2, context } } as never,
        )
    ).columns as Pick<Columns, 'tokens' | 'mask' | 'weight'>;
  const free = await marked(9);
  expect([...free.tokens.values]).toEqual([1, 5, 6, 2, 2, 1, 7, 8, 2]);
  expect([...free.mask.values]).toEqual([0, 0, 1, 1, 0, 0, 0, 1, 1]);
  expect([...free.weight]).toEqual([1, 0.2]);
  expect([...(await marked(4)).tokens.offsets]).toEqual([0, 4, 8]);
});

test('of shown tokens, keeps the credit of the least certain ones', async () => {
  const entropy = ragged(
    [
      [0, 0, 0.1, 0.9],
      [0, 0, 0.5, 0.4],
    ],
    Float32Array,
  );
  const made = await part.onlyUncertainPrefix({ share: 0.5 }).run(
    {
      tokens,
      mask,
      advantage: ragged(
        [
          [0, 0, 3, 3],
          [0, 0, -1, -1],
        ],
        Float64Array,
      ),
      'row/given': Float64Array.of(2, 0),
      'model/policy': { entropy: async () => entropy },
    } as never,
    context,
  );
  expect([...(made.columns as Pick<Columns, 'advantage'>).advantage.values]).toEqual([
    0, 0, 0, 3, 0, 0, -1, -1,
  ]);
  expect([0, 0.5, 1].map((progress) => part.shownShare({ from: 0.9, to: 0.1 }, progress))).toEqual(
    [0.9, 0.5, 0.1].map((share) => expect.closeTo(share, 9)),
  );
});
