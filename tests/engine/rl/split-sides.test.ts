import { describe, expect, it } from 'vitest';
import { fromRows } from '../../../engine/rl/tasks/row-data.ts';

type Side = 'train' | 'heldout';
const rowOf = (promptId: string, answer: string, split?: Side) => ({
  promptId,
  prompt: promptId,
  answer,
  ...(split && { split }),
});
const dataOf = (rows: readonly ReturnType<typeof rowOf>[], heldout = 0.5) =>
  fromRows(
    { name: 'rows', examples: rows, graded: [], pairs: [], prompts: rows, heldout, hasReferences: true },
    0,
  );

describe('rows with the side of a split', () => {
  it('are trained on and held out by it, whatever the held-out share', () => {
    const rows = Array.from({ length: 40 }, (_none, at) =>
      rowOf(`p${at}`, 'a', at < 30 ? 'train' : 'heldout'),
    );
    for (const share of [0, 1]) {
      const { examples, heldout } = dataOf(rows, share);
      expect([examples?.size, heldout.examples.length, heldout.problems.length]).toEqual([30, 10, 10]);
    }
  });

  it('of one prompt can be on both sides', () => {
    const { examples, problems, heldout } = dataOf([rowOf('p', 'a', 'train'), rowOf('p', 'b', 'heldout')]);
    expect([examples?.size, problems?.size]).toEqual([1, 1]);
    expect(heldout.examples.map(({ answer }) => answer)).toEqual(['b']);
  });
});
