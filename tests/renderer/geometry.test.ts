import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import {
  axis,
  bars,
  padded,
  path,
  spanOf,
  spread,
  stepIncrements,
  steps,
  tickLabels,
  decades,
  logTicks,
} from '../../renderer/charts/geometry.ts';
import { notFinite, smooth, toCsv } from '../../renderer/charts/series.ts';
import { markOf } from '../../renderer/lib/run-colors.svelte.ts';

const bins = [
  { from: 0, to: 1 },
  { from: 1, to: 2 },
];

describe('geometry of the marks', () => {
  it('maps values to an axis, optionally with y downwards', () => {
    const y = axis(0, 10, 100, 0, { exact: true });
    expect([y.at(0), y.at(5), y.at(10)]).toEqual([100, 50, 0]);
    for (const { value, at } of y.ticks) expect(at).toBeCloseTo(100 - value * 10, 9);
  });
  it('gives a domain of width zero one unit, instead of dividing by zero', () => {
    const x = axis(3, 3, 0, 10, { exact: true });
    expect(x.domain).toEqual([2.5, 3.5]);
    expect(x.at(3)).toBe(5);
  });
  it('draws bars from the baseline, as high as their value', () => {
    const [x, y] = [axis(0, 2, 0, 200, { exact: true }), axis(0, 1, 100, 0, { exact: true })];
    expect(bars(bins, [0.25, 1], x, y, 2)).toEqual([
      { x: 1, y: 75, width: 98, height: 25 },
      { x: 101, y: 0, width: 98, height: 100 },
    ]);
    expect(steps(bins, [0.25, 1], x, y)).toBe('M0,100L0,75L100,75L100,0L200,0L200,100');
  });
  it('labels an axis with the same digits throughout', () => {
    expect(tickLabels([0, 0.1, 0.2])).toEqual(['0', '.1', '.2']);
    expect(tickLabels([-1, -0.5, 0, 0.5])).toEqual(['−1.0', '−.5', '0', '.5']);
    expect(tickLabels([0, 20, 40])).toEqual(['0', '20', '40']);
    expect(tickLabels([0.025, 0.05, 0.075, null])).toEqual(['.025', '.050', '.075', '']);
  });
  it('puts ticks on whole steps, however few there are', () => {
    for (const increment of stepIncrements) expect(Number.isInteger(increment) && increment >= 1).toBe(true);
    expect(stepIncrements.slice(0, 5)).toEqual([1, 2, 5, 10, 20]);
  });
  it('gives a log axis whole decades, also where a curve is flat or has nothing above 0', () => {
    expect(decades(0.02, 3)).toEqual([0.01, 10]);
    expect(decades(1, 1)).toEqual([1, 10]);
    expect([decades(null, null), decades(0, 0), decades(-1, 2), decades(Number.NaN, 1)]).toEqual(
      Array(4).fill([0.1, 1]),
    );
  });
  it('puts ticks of a log axis on digits of decades, and on decades alone where there are many', () => {
    expect(logTicks(0.01, 0.1)).toEqual([0.01, 0.02, 0.03, 0.04, 0.05, 0.06, 0.07, 0.08, 0.09, 0.1]);
    expect(logTicks(1e-7, 1)).toEqual([1e-7, 1e-6, 1e-5, 1e-4, 1e-3, 1e-2, 0.1, 1]);
    expect(logTicks(2e-5, 5e-5), 'within a decade').toEqual([2e-5, 3e-5, 4e-5, 5e-5]);
    expect([logTicks(0, 1), logTicks(Number.NaN, 1)]).toEqual([[], []]);
  });
  it('adds space around a flat line, and does not go below zero for values that are never negative', () => {
    expect(padded(0, 0)).toEqual([0, 0.1]);
    expect(padded(0, 1)).toEqual([0, 1.08]);
    expect(padded(3, 3.0000000000000004)[1], 'flat but for rounding').toBeCloseTo(3.3, 9);
    expect(padded(5, 5)).toEqual([4.5, 5.5]);
    expect(padded(-1, 0)).toEqual([-1.08, 0]);
    expect(padded(null, null)).toEqual([0, 1]);
    expect([padded(0, Infinity), padded(Number.NaN, 1)], 'an endless axis has no ticks').toEqual([
      [0, 1],
      [0, 1],
    ]);
    expect(spanOf([], null, null, [Infinity, -Infinity])).toEqual([0, 1]);
  });
  it('spans the shared steps of all charts, until the user zooms', () => {
    expect(spanOf([1, 2, 3], 1, 3, [0, 200])).toEqual([0, 200]);
    expect(spanOf([1, 2, 3], 1.5, 2.5, [0, 200])).toEqual([1.5, 2.5]);
    expect(spanOf([1, 2, 3], 1, 3, null)).toEqual([1, 3]);
    expect(spanOf([60], 60, 60, null)).toEqual([59, 61]);
  });
  it('uses a default range before the first drawing, when there are no bounds yet', () => {
    expect(spanOf([1, 2, 3], null, null, [1, 3])).toEqual([1, 3]);
    expect(spanOf([], null, null, null)).toEqual([0, 1]);
  });
  it('breaks a line at values that cannot be drawn', () => {
    const flat = axis(0, 10, 0, 10, { exact: true });
    const points = [0, 1, Number.NaN, 3, 4].map((y, x) => ({ x, y }));
    expect(path(points, flat, flat)).toBe('M0,0L1,1M3,3L4,4');
  });
  it('spreads labels without overlap, in the order of their lines', () => {
    fc.assert(
      fc.property(fc.array(fc.integer({ min: 0, max: 300 }), { minLength: 1, maxLength: 8 }), (positions) => {
        const placed = spread(positions, 13, 0, 300);
        const order = positions
          .map((at, index) => ({ at, index }))
          .sort((a, b) => a.at - b.at)
          .map(({ index }) => placed[index]);
        order.slice(1).forEach((at, index) => expect(at - order[index]).toBeGreaterThanOrEqual(13 - 1e-9));
        expect(Math.max(...placed)).toBeLessThanOrEqual(300);
      }),
    );
  });
});

describe('series', () => {
  const line = (steps: number[], values: number[]) => ({
    steps: Float64Array.from(steps),
    values: Float64Array.from(values),
  });

  it('say where they are not finite', () => {
    expect(notFinite(line([1, 2, 3], [10, Number.NaN, Infinity]))).toEqual([2, 3]);
  });
  it('are smoothed without bias at the start, with non-finite values unchanged', () => {
    expect([...smooth(Float64Array.from([4, 4, 4]), 0.9)].map((v) => Math.round(v * 1e9) / 1e9)).toEqual([
      4, 4, 4,
    ]);
    const out = smooth(Float64Array.from([1, Number.NaN, 3]), 0.5);
    expect(out[1]).toBeNaN();
    expect(out[2]).toBeCloseTo((0.25 * 1 + 0.5 * 3) / 0.75, 12);
  });
  it('export to CSV, with names quoted if necessary', () => {
    expect(toCsv([{ id: 'a', label: 'a, b', mark: markOf(0), ...line([1], [0.5]) }])).toBe(
      'series,step,value\n"a, b",1,0.5',
    );
  });
  it('repeat the first hue for the eighth run, with a dash', () => {
    expect(markOf(7).variable).toBe(markOf(0).variable);
    expect(markOf(7).dash).not.toEqual(markOf(0).dash);
  });
});
