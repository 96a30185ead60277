import { describe, expect, test } from 'vitest';
import type { Table } from '../../../../engine/rl/kernel/rows.ts';
import { rowsOf } from '../../../../engine/rl/kernel/recipe.ts';
import { Buffers } from '../../../../engine/rl/run/buffers.ts';

const rows = (...weights: number[]): Table => ({ weight: Float64Array.from(weights) });
const plan = {
  all: rowsOf('writer'),
  newest: rowsOf('writer', { last: 2 }),
  fresh: rowsOf('writer', { fresh: true }),
};
const held = (buffers: Buffers) =>
  Object.keys(plan).map((name) => [...((buffers.column(name, 'weight') ?? []) as Float64Array)]);

describe('buffers', () => {
  test('return the rows of a turn after it has ended, and not before', () => {
    const buffers = new Buffers(plan);
    buffers.add({ role: 'writer', endsTurn: false }, rows(1));
    expect(held(buffers)).toEqual([[], [], []]);
    buffers.add({ role: 'writer', endsTurn: true }, rows(2));
    expect(held(buffers)).toEqual([
      [1, 2],
      [1, 2],
      [1, 2],
    ]);
  });

  test('keep all turns, the newest rows, or only the latest turn', () => {
    const buffers = new Buffers(plan);
    for (const weight of [1, 2, 3]) buffers.add({ role: 'writer', endsTurn: true }, rows(weight));
    expect(held(buffers)).toEqual([[1, 2, 3], [2, 3], [3]]);
  });

  test('store nothing for a role without a buffer', () => {
    const buffers = new Buffers(plan);
    buffers.add({ role: 'reader', endsTurn: true }, rows(1));
    expect(buffers.state().buffers.size + buffers.state().turnRows.size).toBe(0);
    expect(buffers.column('nobody', 'weight')).toBeUndefined();
  });

  test('continue from their saved state in the middle of a turn', () => {
    const first = new Buffers(plan);
    first.add({ role: 'writer', endsTurn: true }, rows(1));
    first.add({ role: 'writer', endsTurn: false }, rows(2));
    const second = new Buffers(plan, first.state());
    second.add({ role: 'writer', endsTurn: true }, rows(3));
    expect(held(second)).toEqual([
      [1, 2, 3],
      [2, 3],
      [2, 3],
    ]);
    expect(held(first)).toEqual([[1], [1], [1]]);
  });
});
