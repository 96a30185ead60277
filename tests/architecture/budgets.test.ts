import { describe, expect, it } from 'vitest';
import { overBudget, overBudgetOf, overWidth, overWidthOf } from './budgets.ts';
import { root } from './planted.ts';
import { trackedFiles } from './tracked.ts';

const lines = (count: number) => 'export const x = 1;\n'.repeat(count);

describe('size budgets', () => {
  it.each([
    ['engine/rl/methods/new.ts', 60],
    ['engine/tensor/ops/new.ts', 250],
    ['main/ipc/new.ts', 120],
    ['renderer/widgets/New.svelte', 200],
    ['engine/data/new.ts', 400],
    ['tests/engine/new.test.ts', 400],
  ])('%s may have at most %i lines', (path, most) => {
    expect(overBudget(path, lines(most))).toEqual([]);
    expect(overBudget(path, lines(most + 1))).toHaveLength(1);
  });

  it('a function may have at most 60 lines', () => {
    const of = (count: number) => `export const f = () => {\n${lines(count - 2)}};\n`;
    expect(overBudget('main/new.ts', of(60))).toEqual([]);
    expect(overBudget('main/new.ts', of(61))).toEqual([
      'main/new.ts:1: a function of 61 lines, it may have 60',
    ]);
  });

  it('measures the methods that a factory returns separately from the factory', () => {
    const factory = (count: number) =>
      `export const f = () => ({\n  a() {\n${lines(count - 2)}  },\n  b: () => {\n${lines(40)}  },\n});\n`;
    expect(overBudget('main/new.ts', factory(60))).toEqual([]);
    expect(overBudget('main/new.ts', factory(61))).toEqual([
      'main/new.ts:2: a function of 61 lines, it may have 60',
    ]);
  });

  it('hold for every file', () => {
    expect(overBudgetOf(root, trackedFiles(root))).toEqual([]);
  });

  it('a line may have at most 140 characters', () => {
    const line = (length: number) => `${'x'.repeat(length)}\n`;
    expect(overWidth('main/new.ts', line(140))).toEqual([]);
    expect(overWidth('main/new.ts', `\n${line(141)}`)).toEqual([
      'main/new.ts:2: a line of 141 characters, it may have 140',
    ]);
    expect(overWidth('README.md', line(141))).toEqual([]);
  });

  it('no line is too wide', () => {
    expect(overWidthOf(root, trackedFiles(root))).toEqual([]);
  });
});
