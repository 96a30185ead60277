import fc from 'fast-check';
import { expect, it } from 'vitest';
import {
  areaBetween,
  batches,
  fitted,
  fromScreen,
  nearest,
  shapes,
  mark,
  toScreen,
  type Plot,
} from '../../renderer/charts/cloud/point-cloud.ts';
import { svgPath } from '../../renderer/charts/svg-path.ts';

const plot: Plot = { area: { x: [-1, 3], y: [0, 2] }, left: 50, top: 10, width: 400, height: 200 };

it('fits an area with one unit on both axes, and finds it all inside', () => {
  const number = fc.double({ min: -100, max: 100, noNaN: true });
  fc.assert(
    fc.property(
      number,
      number,
      fc.double({ min: 0, max: 50, noNaN: true }),
      fc.double({ min: 0, max: 50, noNaN: true }),
      (x, y, w, h) => {
        const { x: across, y: up } = fitted({ x: [x, x + w], y: [y, y + h] }, 400, 200);
        expect((across[1] - across[0]) / 400).toBeCloseTo((up[1] - up[0]) / 200, 9);
        expect(across[1]).toBeGreaterThan(across[0]);
        expect(across[0]).toBeLessThanOrEqual(x);
        expect(up[1]).toBeGreaterThanOrEqual(y + h);
      },
    ),
    { seed: 3, numRuns: 100 },
  );
});

it('turns places on the screen into coordinates and back, upwards on the second axis', () => {
  expect(toScreen(plot, -1, 0)).toEqual({ x: 50, y: 210 });
  expect(toScreen(plot, 3, 2)).toEqual({ x: 450, y: 10 });
  expect(fromScreen(plot, 250, 110)).toEqual({ x: 1, y: 1 });
});

it('makes a region of any two corners, cut at the edges of the plot', () => {
  const region = areaBetween(plot, { x: 250, y: 110 }, { x: -40, y: 900 });
  expect(region).toEqual({ x: [-1, 1], y: [0, 1] });
});

it('finds the nearest point within a distance, and prefers one in front', () => {
  const cloud = {
    x: Float64Array.of(0, 1, 1),
    y: Float64Array.of(1, 1, 1),
    style: [0, 0, 0],
    front: [1, 0, 1],
  };
  expect(nearest(cloud, plot, { x: 251, y: 110 }, 10)).toBe(2);
  expect(nearest(cloud, plot, { x: 152, y: 112 }, 10)).toBe(0);
  expect(nearest(cloud, plot, { x: 200, y: 110 }, 10)).toBeNull();
});

it('draws seven different marks', () => {
  const outlines = shapes.map((shape) => svgPath((path) => mark(path, shape, 0, 0, 2)));
  expect(new Set(outlines).size).toBe(shapes.length);
  expect(outlines[0]).toBe('M2 0A2 2 0 1 1 -2 0A2 2 0 1 1 2 0Z');
});

it('draws the background first, and the styles in turn, each point once', () => {
  const count = 1000;
  const cloud = {
    x: new Float64Array(count),
    y: new Float64Array(count),
    style: Uint8Array.from({ length: count }, (_none, at) => at % 2),
    front: Uint8Array.from({ length: count }, (_none, at) => Number(at % 4 === 0)),
  };
  const drawn = [...batches(cloud)];
  const points = drawn.flatMap((batch) => batch.points);
  expect(points.toSorted((a, b) => a - b)).toEqual(Array.from({ length: count }, (_none, at) => at));
  expect(points.slice(0, 750).every((at) => at % 4 !== 0)).toBe(true);
  expect(drawn.slice(0, 4).map(({ style }) => style)).toEqual([1, 0, 1, 0]);
  expect(new Set(drawn.map(({ opacity }) => opacity)).size).toBe(2);
  expect(
    [...batches({ ...cloud, front: cloud.style.map(() => 1) })].every(({ opacity }) => opacity > 0.5),
  ).toBe(true);
});
