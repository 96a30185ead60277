import { describe, expect, it } from 'vitest';
import type { TravelStop } from '../../preload/contract/travel.ts';
import { rowAt, rowsOf, windowAround } from '../../renderer/features/compare/travel/rows.ts';

const stop = (runId: string, step: number, ...texts: string[]): TravelStop => ({
  runId,
  step,
  count: texts.length,
  right: null,
  answers: texts.map((completion, sample) => ({
    id: `${runId} ${step} ${sample}`,
    sample,
    completion,
    stopReason: 'end',
    scores: {},
    correct: null,
  })),
});
const stops = [stop('a', 20, 'a20', 'x'), stop('a', 10, 'a10'), stop('b', 20, 'b20'), stop('b', 40, 'b40')];

describe('rows of a time travel', () => {
  it('have a cell per run, with the answer of its evaluation before', () => {
    const rows = rowsOf(stops, ['a', 'b'], 0);
    const texts = rows.map(({ step, cells }) => [
      step,
      ...cells.map((cell) => cell && [cell.before?.completion ?? null, cell.answer?.completion]),
    ]);
    expect(texts).toEqual([
      [10, [null, 'a10'], null],
      [20, ['a10', 'a20'], [null, 'b20']],
      [40, null, ['b20', 'b40']],
    ]);
  });
  it('say where an evaluation drew fewer answers', () => {
    const [first, second] = rowsOf(stops, ['a'], 1);
    expect(first.cells[0]).toMatchObject({ answer: null });
    expect(second.cells[0]).toMatchObject({ answer: { completion: 'x' }, before: null });
  });
  it('are found by a step: the last up to it, the first before all, the last without one', () => {
    const rows = rowsOf(stops, ['a', 'b'], 0);
    expect([rowAt(rows, 25), rowAt(rows, 5), rowAt(rows, null), rowAt([], null)]).toEqual([1, 0, 2, -1]);
  });
  it('on the page are those around the current one', () => {
    expect(windowAround(0, 5)).toEqual([0, 5]);
    expect(windowAround(0, 100)).toEqual([0, 21]);
    expect(windowAround(50, 100)).toEqual([40, 61]);
    expect(windowAround(99, 100)).toEqual([79, 100]);
    expect(windowAround(-1, 0)).toEqual([0, 0]);
  });
});
