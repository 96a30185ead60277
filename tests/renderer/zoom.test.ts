import { describe, expect, it } from 'vitest';
import type { Series } from '../../preload/contract/runs.ts';
import { heights, drawnLine, visible } from '../../renderer/charts/line-drawing.ts';
import { byDistance, nearestX, valueAt } from '../../renderer/charts/line-readout.ts';
import type { Line } from '../../renderer/charts/series.ts';
import { afterKey, beginning, within, zoomed } from '../../renderer/charts/zoom.ts';
import { markOf } from '../../renderer/lib/run-colors.svelte.ts';
import { covers, pointsFor, WindowSeries } from '../../renderer/lib/window-series.svelte.ts';

const line = (steps: number[], values: number[], bounds: Partial<Line> = {}): Line => ({
  id: 'r/loss',
  label: 'r',
  mark: markOf(0),
  steps: Float64Array.from(steps),
  values: Float64Array.from(values),
  ...bounds,
});

describe('the shown part of an axis', () => {
  it('keeps its width within the whole, and is the whole where it would be wider', () => {
    expect(within([-10, 10], [0, 100])).toEqual([0, 20]);
    expect(within([90, 110], [0, 100])).toEqual([80, 100]);
    expect(within([-5, 105], [0, 100])).toBeNull();
    expect(within([0, 0], [0, 0])).toBeNull();
  });

  it('keeps the place of the value around which it is zoomed', () => {
    expect(zoomed([0, 100], 25, 0.5)).toEqual([12.5, 62.5]);
  });

  it('moves and zooms by keys, and other keys do nothing', () => {
    expect(afterKey('ArrowRight', [0, 100])).toEqual([10, 110]);
    expect(afterKey('ArrowLeft', [0, 100])).toEqual([-10, 90]);
    expect(afterKey('+', [0, 100])).toEqual([10, 90]);
    expect(afterKey('0', [0, 100])).toBeNull();
    expect(afterKey('x', [0, 100])).toBeUndefined();
  });

  it('begins with the first step of the first bucket, whose point is its last', () => {
    const bounds = { low: new Float64Array(3), high: new Float64Array(3) };
    expect(beginning(line([31, 63, 95], [1, 1, 1], bounds))).toBe(0);
    expect(beginning(line([1055, 1087, 1119], [1, 1, 1], bounds))).toBe(1023);
    expect(beginning(line([31, 63], [1, 1]))).toBe(31);
  });
});

describe('a drawn line', () => {
  it('has the points of the part, and one on either side', () => {
    expect(visible(line([1, 2, 3, 4, 5], [0, 0, 0, 0, 0]), [2.5, 3.5])).toEqual([1, 4]);
    expect(visible(line([], []), [0, 1])).toEqual([0, 0]);
  });

  it('is as high as its values and bounds in the part alone, without those that are not finite', () => {
    const bounds = { low: Float64Array.of(0, -7, 0, 0), high: Float64Array.of(90, 2, 8, 99) };
    const drawn = drawnLine(line([1, 2, 3, 4], [1, Infinity, 3, 4], bounds), { smoothing: 0, log: false });
    expect(heights([drawn], [2, 3])).toEqual([-7, 8]);
    expect(heights([drawn], [10, 11])).toBeNull();
  });

  it('is read at the point nearest to the pointer', () => {
    const [a, b] = [line([1, 10], [5, 6]), line([4], [7])];
    expect(nearestX([a, b], 3.4)).toBe(4);
    expect(nearestX([], 3)).toBeNull();
    expect([valueAt(a, 10), valueAt(b, 10)]).toEqual([6, null]);
  });

  it('is that of the bucket with the step, where points are joined to buckets', () => {
    const buckets = { ...line([4, 8, 12], [1, 2, 3]), low: Float64Array.of(0, 0, 0) };
    const at = (...steps: number[]) => steps.map((x) => valueAt(buckets, x));
    expect(at(4, 5, 7, 8, 9, 12)).toEqual([1, 2, 2, 2, 3, 3]);
    expect(at(3, 13)).toEqual([null, null]);
  });

  it('is listed by name, the line nearest to the pointer first, and one without a value last', () => {
    const lines = [3, null, 9, Number.NaN, 5].map((value, at) => ({ line: line([at], [at]), value }));
    expect(byDistance(lines, 6).map(({ value }) => value)).toEqual([5, 3, 9, null, Number.NaN]);
    expect(byDistance([], 6)).toEqual([]);
  });
});

describe('the curves of a part', () => {
  const series = (name: string): Series => ({
    runId: 'r',
    name,
    steps: new Float64Array(),
    values: new Float64Array(),
    at: new Float64Array(),
  });

  it('are those of the newest part: while one is read, the parts between are never asked for', async () => {
    const asked: number[] = [];
    const zoom = new WindowSeries((error) => {
      throw error;
    });
    const first = Promise.withResolvers<Series[]>();
    zoom.ask([0, 100], 1000, (from) => {
      asked.push(from);
      return first.promise;
    });
    const ask = (from: number): void =>
      zoom.ask([from, from + 100], 1000, async (start) => {
        asked.push(start);
        return [series(`from ${start}`)];
      });
    ask(1000);
    ask(2000);
    ask(3000);
    first.resolve([series('first')]);
    await expect.poll(() => zoom.isReading).toBe(false);
    expect(asked).toEqual([-25, 2975]);
    expect(zoom.detail?.series[0].name).toBe('from 2975');
    expect(covers(zoom.detail, [3000, 3100])).toBe(true);
    expect(covers(zoom.detail, [2000, 3100])).toBe(false);
    expect(covers(zoom.detail, null)).toBe(false);
  });

  it('are dropped when they arrive after the charts have changed, and an error is reported', async () => {
    const errors: unknown[] = [];
    const zoom = new WindowSeries((error) => errors.push(error));
    const late = Promise.withResolvers<Series[]>();
    zoom.ask([0, 1], 1000, () => late.promise);
    zoom.clear();
    late.resolve([series('late')]);
    await expect.poll(() => zoom.isReading).toBe(false);
    expect(zoom.detail).toBeNull();
    zoom.ask([0, 1], 1000, () => Promise.reject(new Error('no line')));
    await expect.poll(() => errors).toHaveLength(1);
    expect(zoom.isReading).toBe(false);
  });

  it('have at least a point for each pixel, and widths that are nearly equal ask for the same', () => {
    expect(pointsFor(900)).toBe(2048);
    expect(pointsFor(1000)).toBe(2048);
    expect(pointsFor(10)).toBe(1024);
    expect([pointsFor(1300, 16), pointsFor(1300, 17)]).toEqual([3072, 1536]);
  });
});
