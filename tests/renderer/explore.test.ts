import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import {
  dimensionOf,
  paretoFront,
  shortNames,
  type ExploreColumn,
} from '../../renderer/features/compare/explore/columns.ts';
import { pictureOf } from '../../renderer/features/compare/explore/picture.ts';
import { markOf } from '../../renderer/lib/run-colors.svelte.ts';

const column = (over: Partial<ExploreColumn> & Pick<ExploreColumn, 'values'>): ExploreColumn => ({
  id: 'result:x',
  title: 'x',
  kind: 'result',
  intervals: over.values.map(() => null),
  isLowBetter: false,
  ...over,
});
const runs = ['a', 'b', 'c', 'd'].map((id, at) => ({ id, name: `run ${id}`, mark: markOf(at) }));

describe('names of parameters', () => {
  it('are the shortest ends of their paths that are unique and say something', () => {
    expect(
      shortNames([
        'optimizer.learningRate',
        'method.params.size',
        'rewards.0.params.size',
        'method.id',
        'seed',
      ]),
    ).toEqual(['learningRate', 'method.params.size', '0.params.size', 'method.id', 'seed']);
  });
});

describe('an axis of parallel coordinates', () => {
  it('has a logarithm for positive numbers over a wide range, with the numbers as its ticks', () => {
    const { title, values, ticks } = dimensionOf(column({ title: 'rate', values: [1e-5, 1e-3, 1e-4] }));
    expect([title, values]).toEqual(['rate (log)', [-5, -3, -4]]);
    expect(ticks?.map(({ text }) => text)).toEqual(['0.00001', '0.0001', '0.001']);
  });
  it('has distinct values in order where some are texts or missing', () => {
    expect(dimensionOf(column({ values: [10, null, 9, 10] }))).toEqual({
      title: 'x',
      values: [1, 2, 0, 1],
      ticks: [
        { at: 0, text: '9' },
        { at: 1, text: '10' },
        { at: 2, text: '–' },
      ],
    });
  });
});

describe('the Pareto front', () => {
  it('keeps the points that none beats, equal ones too', () => {
    const points = [
      { x: 1, y: 5 },
      { x: 2, y: 4 },
      { x: 2, y: 3 },
      { x: 3, y: 4 },
      { x: 1, y: 5 },
    ];
    expect(paretoFront(points, { isLowX: true, isLowY: false })).toEqual([0, 4]);
    expect(paretoFront(points, { isLowX: false, isLowY: false })).toEqual([0, 4, 3]);
  });
  it('is never empty, and each other point is beaten by one of it', () => {
    const point = fc.record({ x: fc.integer({ min: 0, max: 6 }), y: fc.integer({ min: 0, max: 6 }) });
    fc.assert(
      fc.property(fc.array(point, { minLength: 1, maxLength: 20 }), fc.boolean(), (points, isLowX) => {
        const front = paretoFront(points, { isLowX, isLowY: false });
        const signed = points.map(({ x, y }) => ({ x: isLowX ? -x : x, y }));
        for (const [at, own] of signed.entries()) {
          const beaten = front.some((other) => {
            const { x, y } = signed[other];
            return x >= own.x && y >= own.y && (x > own.x || y > own.y);
          });
          expect(beaten).toBe(!front.includes(at));
        }
      }),
    );
  });
});

describe('a picture of two columns', () => {
  const rate = column({
    id: 'result:pass',
    title: 'pass@1',
    values: [0.2, 0.4, null, 0.3],
    intervals: [[0.1, 0.3], null, null, [0.2, 0.4]],
  });
  const length = column({ id: 'result:length', title: 'length', values: [5, 9, 7, 10], isLowBetter: true });

  it('has a point per run that has both, and says how many lack one', () => {
    const { marks, rows, note } = pictureOf(runs, { x: length, y: rate, colour: null });
    expect(rows.map(({ id }) => id)).toEqual(['a', 'b', 'd']);
    expect(marks.flatMap((mark) => (mark.kind === 'points' ? mark.keys : []))).toEqual(['a', 'b', 'd']);
    expect(note).toBe(
      '2 of 3 runs are on the Pareto front (low length, high pass@1). 1 of 4 runs lack one of them and are not drawn.',
    );
    expect(rows[0].cells).toEqual(['run a', '5', '0.2 [0.1, 0.3]']);
  });
  it('has means in the cells of two parameters', () => {
    const parameter = (title: string, values: readonly (number | string)[]) =>
      column({ id: `parameter:${title}`, title, kind: 'parameter', values });
    const { marks } = pictureOf(runs, {
      x: parameter('rate', [1, 1, 2, 2]),
      y: parameter('method', ['dpo', 'dpo', 'dpo', 'ipo']),
      colour: length,
    });
    expect(marks).toMatchObject([
      {
        kind: 'heat',
        x: ['1', '2'],
        y: ['dpo', 'ipo'],
        values: [
          [7, 7],
          [null, 10],
        ],
        keys: [
          ['a,b', 'c'],
          ['', 'd'],
        ],
      },
    ]);
  });
  it('has the distribution of a result for each text', () => {
    const method = column({ id: 'parameter:m', kind: 'parameter', values: ['dpo', 'ipo', 'dpo', 'dpo'] });
    const { marks } = pictureOf(runs, { x: method, y: length, colour: null });
    expect(marks).toMatchObject([
      { kind: 'box', name: 'dpo', values: [5, 7, 10] },
      { kind: 'box', name: 'ipo', values: [9] },
    ]);
  });
});
