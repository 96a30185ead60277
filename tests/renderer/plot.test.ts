import { describe, expect, it } from 'vitest';
import { brushed, figureOf, plainText } from '../../renderer/charts/plot/figure.ts';
import type { Mark, Points } from '../../renderer/charts/plot/marks.ts';

const colors = (variable: string) => `color of ${variable}`;
const axes = { x: { title: 'steps <b>' }, y: { title: 'loss', log: true, range: [0.1, 10] as const } };
const points = (over: Partial<Points> = {}): Points => ({
  kind: 'points',
  name: 'run',
  variable: '--run-0',
  x: [1, 2],
  y: [3, 4],
  keys: ['a', 'b'],
  ...over,
});
const figure = (...marks: Mark[]) => figureOf(marks, axes, colors);

describe('a figure', () => {
  it('shows tags, entities and fields in texts as they are', () => {
    expect(plainText('<a href="https://x.y">&amp; %{x}')).toBe('&lt;a href="https://x.y"&gt;&amp;amp; % {x}');
    const { data, layout } = figure(points({ texts: ['<i>one</i>', 'x'.repeat(500)] }));
    expect(data[0].text).toEqual(['&lt;i&gt;one&lt;/i&gt;', `${'x'.repeat(159)}…`]);
    expect(layout.xaxis).toMatchObject({ title: { text: 'steps &lt;b&gt;' } });
  });
  it('keeps the keys of points, and draws many of them by WebGL', () => {
    expect(figure(points()).data[0]).toMatchObject({ type: 'scatter', customdata: ['a', 'b'] });
    const many = Array.from({ length: 3000 }, (_none, at) => at);
    expect(figure(points({ x: many, y: many })).data[0]).toMatchObject({ type: 'scattergl' });
  });
  it('draws intervals as distances from the value, none where there is none', () => {
    const { data } = figure(points({ yBounds: [[2, 5], null] }));
    expect(data[0].error_y).toMatchObject({ symmetric: false, array: [2, 0], arrayminus: [1, 0] });
    expect(data[0].error_x).toBeUndefined();
  });
  it('has the range of a logarithmic axis in powers of ten', () => {
    expect(figure(points()).layout.yaxis).toMatchObject({ type: 'log', range: [-1, 1] });
  });
  it('offers no way to send a chart to another machine', () => {
    expect(figure(points()).config).toMatchObject({ showSendToCloud: false, plotlyServerURL: '' });
  });
  it('names its marks if there are several names', () => {
    expect(figure(points()).layout.showlegend).toBe(false);
    expect(figure(points(), points({ name: 'other' })).layout.showlegend).toBe(true);
    const line: Mark = { kind: 'line', name: 'run', variable: '--run-0', x: [1, 2], y: [3, 4] };
    const entries = figure(line, points(), points({ name: 'other' })).data.map(
      ({ showlegend }) => showlegend,
    );
    expect(entries).toEqual([true, false, true]);
  });
});

describe('brushes of parallel coordinates', () => {
  const keys = ['a', 'b', 'c'];
  it('choose what lies within one of the ranges of every brushed dimension', () => {
    const rate = { values: [1, 2, 3], constraintrange: [1.5, 3] };
    const size = {
      values: [4, 5, 6],
      constraintrange: [
        [4, 4.5],
        [5.5, 6],
      ],
    };
    expect(brushed([rate, { values: [0, 0, 0] }], keys)).toEqual(['b', 'c']);
    expect(brushed([rate, size], keys)).toEqual(['c']);
  });
  it('choose everything where none is brushed', () => {
    expect(brushed([{ values: [1, 2, 3], constraintrange: [] }], keys)).toEqual(keys);
  });
});
